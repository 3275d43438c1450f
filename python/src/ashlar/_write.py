"""The writer that defines which values are written, and what is said of others.

It keeps its own stack, so values may be nested deep. :mod:`ashlar._genwrite` is faster, and leaves to
this one whatever it does not expect.
"""

from __future__ import annotations

import operator
import struct
from fractions import Fraction
from typing import Any, Callable, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from . import shapes as s
from ._bits import packed_leaf, put_symbol
from ._budget import LEVELS, ONE_HASH, RAISABLE
from ._compare import INCOMPARABLE, Take, compare, in_order, indices_between, is_plain
from ._costs import tag_size
from ._emit import RAISED
from ._facts import Facts, is_ordered
from ._hashes import counted
from ._varint import put_integer, put_natural, put_varint
from ._leafread import bound_text
from .errors import EncodeError
from .values import Array, ExactNaN

__all__ = ["number_bytes", "plain_take", "write"]

#: The path around, a label, and how many values are around.
_Path = Tuple[Any, str, int]

_TOP: _Path = (None, "", 0)


def plain_take(facts: Facts) -> Take:
    """What plain values consist of."""
    tags: Dict[int, Dict[str, int]] = {}

    def take(i: int, value: Any) -> Optional[Tuple[int, Sequence[Any]]]:
        d = facts.definitions[i]
        if d.form == "record":
            fields = _plain_fields(d.constructors[0], value)
            return None if fields is None else (0, fields)
        if i not in tags:
            tags[i] = {c.name: j for j, c in enumerate(d.constructors)}
        if isinstance(value, str):
            name, inner = value, None
        elif isinstance(value, dict) and len(value) == 1:
            ((name, inner),) = value.items()
        else:
            return None
        tag = tags[i].get(name)
        if tag is None:
            return None
        c = d.constructors[tag]
        if not c.fields:
            return None if c.retired or inner is not None else (tag, ())
        fields = _plain_fields(c, inner)
        return None if fields is None else (tag, fields)

    return take


def _plain_fields(c: s.Constructor, value: Any) -> Optional[Sequence[Any]]:
    if s.is_positional(c):
        fits = isinstance(value, (tuple, list)) and len(value) == len(c.fields)
        return value if fits else None
    if not isinstance(value, dict) or len(value) != len(c.fields):
        return None
    if not all(f.name in value for f in c.fields):
        return None
    return [value[f.name] for f in c.fields]


def write(facts: Facts, take: Take, root: s.Shape, value: Any, out: bytearray) -> int:
    """Write a value of a shape, and return how many parts it has.

    Raises :class:`ashlar.EncodeError` for any other value.
    """
    to = _Output(out)
    work: _Work = [(root, value, _TOP)]
    parts = 0
    while work:
        shape, x, path = work.pop()
        parts += 1
        if isinstance(shape, s.Leaf):
            _leaf(shape, x, path, to)
        elif isinstance(shape, s.Reference):
            _definition(facts, take, shape.to, x, path, to, work)
        elif isinstance(shape, _Back):
            to.bits = shape.bits
        elif isinstance(shape, _Unordered):
            _fail(path, "keys that cannot be compared")
        elif isinstance(shape, (s.Packed, s.Unpacked)):
            if isinstance(shape, s.Unpacked) or to.bits is None:
                work.append((_Back(to.bits), None, _TOP))
                to.bits = None if isinstance(shape, s.Unpacked) else (0, 0)
            work.append((shape.of, x, path))
        else:
            _shape(facts, take, shape, x, path, to, work)
    return parts


#: The offset of the open byte of a packed value, and the next bit of it.
_Bits = Tuple[int, int]


class _Back(NamedTuple):
    # What follows is in the format around.
    bits: Optional[_Bits]


class _Unordered:
    # The keys before it could not be compared.
    pass


class _Output:
    # Within a packed value, and outside of its plain parts, it has bits.
    def __init__(self, data: bytearray) -> None:
        self.data = data
        self.bits: Optional[_Bits] = None

    def count(self, n: int, compact: bool) -> None:
        self.data += put_varint(n) if compact or self.bits is not None else n.to_bytes(8, "little")

    def tag(self, count: int, i: int) -> None:
        if self.bits is not None:
            self.bits = put_symbol(self.data, *self.bits, count, i)
        else:
            self.data += i.to_bytes(tag_size(count), "little")


_Work = List[Tuple[Union[s.Shape, _Back, _Unordered], Any, _Path]]


def _fail(path: _Path, reason: str) -> NoReturn:
    labels = []
    above: Optional[_Path] = path
    while above is not None:
        above, label, _ = above
        labels.append(label)
    if not labels[-1]:
        labels.pop()
    if len(labels) > 32:
        labels[24:-8] = [".."]
    text = "".join(reversed(labels))
    raise EncodeError(text[1:] if text[:1] == "." else text, reason)


def _deeper(path: _Path) -> _Path:
    # A value begins inside of another one, as deep as a reader takes it.
    above, label, levels = path
    if levels >= LEVELS:
        _fail(path, f"nested more than {LEVELS} levels deep{RAISABLE}")
    return above, label, levels + 1


def _part(path: _Path, label: str) -> _Path:
    return path, label, path[2]


def _needed(path: _Path, what: str, x: Any) -> NoReturn:
    _fail(path, f"{what} is needed, not {type(x).__name__}")


def _shape(
    facts: Facts, take: Take, shape: s.Shape, x: Any, path: _Path, out: _Output, work: _Work
) -> None:
    if isinstance(shape, s.Between):
        _whole(path, x, shape.low, shape.high)
        _leaf(shape.leaf, x, path, out)
    elif isinstance(shape, s.Ratio):
        if isinstance(x, bool) or not isinstance(x, (int, Fraction)):
            _needed(path, "a Fraction", x)
        work.append((shape.of, x.denominator, path))
        work.append((shape.of, x.numerator, path))
    elif isinstance(shape, s.Maybe):
        _maybe(facts, shape, x, path, out, work)
    elif isinstance(shape, s.Tuple):
        if not isinstance(x, (tuple, list)) or len(x) != len(shape.of):
            _needed(path, f"a tuple of {len(shape.of)} values", x)
        _push(work, shape.of, x, path)
    elif isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        values = _listed(path, x)
        if isinstance(shape, s.Set) and is_ordered(facts.unordered, shape.of):
            if isinstance(x, (set, frozenset)):
                values = in_order(facts, shape.of, values, take)
            _check_order(facts, take, shape.of, values, path, work)
        if isinstance(shape, s.NonEmpty) and not values:
            _fail(path, "at least one element is needed")
        out.count(len(values), shape.compact)
        _push(work, [shape.of] * len(values), values, _deeper(path))
    elif isinstance(shape, s.Map):
        _map(facts, take, shape, x, path, out, work)
    elif isinstance(shape, s.Array):
        _array(shape, x, path, out, work)
    elif isinstance(shape, s.Constant):
        if x != shape.bytes:
            _fail(path, "other bytes than it always has")
        out.data += shape.bytes
    elif isinstance(shape, s.Opaque) and shape.size is not None:
        if not isinstance(x, bytes) or len(x) != shape.size:
            _needed(path, f"a bytes object of {shape.size} bytes", x)
        out.data += x
    elif isinstance(shape, s.Opaque):
        _fail(path, f"the format {shape.name[:100]} is not described")
    elif isinstance(shape, s.Irregular):
        _fail(path, f"the irregular type {shape.name[:100]} is not described")


def _push(work: _Work, shapes: Sequence[s.Shape], xs: Sequence[Any], path: _Path) -> None:
    items = [(shape, x, _part(path, f"[{i}]")) for i, (shape, x) in enumerate(zip(shapes, xs))]
    work.extend(reversed(items))


def _listed(path: _Path, x: Any) -> List[Any]:
    if isinstance(x, (str, bytes, dict)) or not hasattr(x, "__iter__"):
        _needed(path, "a list", x)
    return list(x)


def _maybe(
    facts: Facts, shape: s.Maybe, x: Any, path: _Path, out: _Output, work: _Work
) -> None:
    out.tag(2, x is not None)
    if x is None:
        return
    if facts.may_be_none(shape.of):
        if not isinstance(x, tuple) or len(x) != 1:
            _needed(path, "None or a tuple of one value", x)
        x = x[0]
    work.append((shape.of, x, _deeper(path)))


def _map(
    facts: Facts, take: Take, shape: s.Map, x: Any, path: _Path, out: _Output, work: _Work
) -> None:
    pairs = list(x.items()) if isinstance(x, dict) else _listed(path, x)
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        _needed(path, "a dict or a list of pairs", x)
    if is_ordered(facts.unordered, shape.key):
        if isinstance(x, dict):
            found = in_order(facts, shape.key, [k for k, _ in pairs], take)
            pairs = [(k, x[k]) for k in found]
        _check_order(facts, take, shape.key, [k for k, _ in pairs], path, work)
    if isinstance(x, dict) and facts.hashable(shape.key) and facts.may_collide(shape.key):
        hashes: Dict[int, int] = {}
        if not all(counted(hashes, k) for k in x):
            _fail(path, f"more than {ONE_HASH} keys with the same hash")
    out.count(len(pairs), shape.compact)
    inside = _deeper(path)
    for i in range(len(pairs) - 1, -1, -1):
        k, value = pairs[i]
        work.append((shape.value, value, _part(inside, f"[{i}]")))
        work.append((shape.key, k, _part(inside, f"[{i}]")))


def _check_order(
    facts: Facts, take: Take, shape: s.Shape, values: List[Any], path: _Path, work: _Work
) -> None:
    for i in range(1, len(values)):
        try:
            ascends = compare(facts, shape, values[i - 1], values[i], take) < 0
        except INCOMPARABLE:
            # Writing the keys says what is wrong with them, if anything is.
            work.append((_Unordered(), None, _part(path, f"[{i}]")))
            continue
        if not ascends:
            _fail(_part(path, f"[{i}]"), "keys that do not ascend")


def _array(shape: s.Array, x: Any, path: _Path, out: _Output, work: _Work) -> None:
    if not isinstance(x, Array):
        _needed(path, "an ashlar.Array", x)
    values = _listed(path, x.elements)
    if is_plain(shape.index):
        try:
            n = indices_between(x.lower, x.upper)
        except INCOMPARABLE:
            _fail(path, "the bounds of the array are no indices")
        if n != len(values):
            _fail(path, "an array with another number of elements than its bounds")
    _push(work, [shape.of] * len(values), values, _deeper(path))
    count = put_varint(len(values)) if out.bits is not None else len(values).to_bytes(8, "little")
    work.append((s.Constant(count), count, path))
    work.append((shape.index, x.upper, path))
    work.append((shape.index, x.lower, path))


def _definition(
    facts: Facts, take: Take, i: int, x: Any, path: _Path, out: _Output, work: _Work
) -> None:
    d = facts.definitions[i]
    if i in facts.endless:
        _fail(path, f"{d.name[:100]} has no values")
    if d.form == "newtype":
        work.append((d.constructors[0].fields[0].shape, x, path))
        return
    taken = take(i, x)
    name = d.name[:100]
    if taken is None:
        if isinstance(x, (dict, str)):
            _fail(path, f"{_shown(repr, x):.100} is not a value of {name}{_differing(d, x)}")
        _needed(path, f"a value of {name}", x)
    tag, fields = taken
    c = d.constructors[tag]
    if path[0] is None and not path[1]:
        path = (None, name, path[2])
    if d.form == "sum":
        out.tag(len(d.constructors), tag)
        path = _part(path, f".{c.name[:100]}")
    if c.fields or d.form == "record":
        path = _deeper(path)
    for f, value in zip(reversed(c.fields), reversed(fields)):
        work.append((f.shape, value, _part(path, f".{f.name[:100]}")))


def _shown(text: Callable[[Any], str], x: Any) -> str:
    # (Large numbers have no text in decimal, and values that are nested deep have none.)
    try:
        return text(x)
    except RAISED:
        return f"a value of type {type(x).__name__}"


def _differing(d: s.Definition, x: Any) -> str:
    # The fields that a dictionary for a record lacks, or has too many of.
    if d.form != "record" or not isinstance(x, dict):
        return ""
    names = [f.name for f in d.constructors[0].fields]
    missing, extra = [n for n in names if n not in x], [_shown(str, k) for k in x if k not in names]
    parts = [f"without {', '.join(missing)}"] if missing else []
    parts += [f"with {', '.join(extra)}"] if extra else []
    return f"{', ' if parts else ''}{' and '.join(parts):.200}"


# Leaves.


def _whole(path: _Path, x: Any, low: Optional[int], high: Optional[int]) -> int:
    try:
        n = operator.index(x)
    except TypeError:
        _needed(path, "a whole number", x)
    if low is not None and n < low:
        _fail(path, f"less than {bound_text(low)}")
    if high is not None and n > high:
        _fail(path, f"more than {bound_text(high)}")
    return n


def number_bytes(leaf: s.Leaf, n: int) -> bytes:
    """The bytes of a number that its type holds."""
    size, low, _ = s.NUMBERS[leaf.type]
    if leaf.encoding == "varint":
        return put_varint(n & (1 << 64) - 1)
    if leaf.encoding == "zigzag":
        n = n - (1 << 64) if n >= 1 << 63 else n
        return put_varint(2 * n if n >= 0 else -2 * n - 1)
    return n.to_bytes(size, "big" if leaf.encoding else "little", signed=low < 0)


def _leaf(leaf: s.Leaf, x: Any, path: _Path, out: _Output) -> None:
    if out.bits is not None:
        leaf = packed_leaf(leaf)
    kind = leaf.type
    if kind in s.NUMBERS:
        out.data += number_bytes(leaf, _whole(path, x, s.NUMBERS[kind][1], s.NUMBERS[kind][2]))
    elif kind in ("float32", "float64"):
        out.data += _float(leaf, x, path)
    elif kind == "unit":
        if x != ():
            _needed(path, "an empty tuple", x)
    elif kind == "bool":
        if not isinstance(x, bool):
            _needed(path, "a bool", x)
        out.tag(2, x)
    elif kind in ("char", "scalarValue"):
        if not isinstance(x, str) or len(x) != 1:
            _needed(path, "a str of one character", x)
        if kind == "scalarValue" and "\ud800" <= x <= "\udfff":
            _fail(path, "a surrogate")
        out.data += put_varint(ord(x)) if leaf.encoding else ord(x).to_bytes(4, "little")
    elif kind in ("bytes", "byteArray"):
        if not isinstance(x, (bytes, bytearray, memoryview)):
            _needed(path, "a bytes object", x)
        data = bytes(x)
        out.count(len(data), leaf.compact)
        out.data += data
    elif kind in ("utf8", "utf16"):
        _text(leaf, x, path, out)
    elif kind == "natural":
        out.data += put_natural(_whole(path, x, 0, None))
    else:
        out.data += put_integer(_whole(path, x, None, None))


def _text(leaf: s.Leaf, x: Any, path: _Path, out: _Output) -> None:
    if not isinstance(x, str):
        _needed(path, "a str", x)
    try:
        data = x.encode("utf-8" if leaf.type == "utf8" else "utf-16-le")
    except UnicodeEncodeError:
        _fail(path, "a str with a surrogate")
    if leaf.type == "utf8":
        out.count(len(data), leaf.compact)
    else:
        out.data += (len(data) // 2).to_bytes(8, "little")
    out.data += data


def _float(leaf: s.Leaf, x: Any, path: _Path) -> bytes:
    order = ">" if leaf.encoding else "<"
    if leaf.type == "float32" and isinstance(x, ExactNaN):
        return x.bits if order == ">" else x.bits[::-1]
    try:
        return struct.pack(order + ("f" if leaf.type == "float32" else "d"), x)
    except (OverflowError, ValueError):
        _fail(path, "a float that is too large")
    except (struct.error, TypeError):
        if isinstance(x, int):
            _fail(path, "a float that is too large")
        _needed(path, "a float", x)
