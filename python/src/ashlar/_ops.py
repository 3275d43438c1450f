"""Programs that turn the bytes of an old schema into those of a new one."""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple, Union

from ._mismatch import Mismatch
from ._state import State
from ._varint import put_varint

__all__ = [
    "Block",
    "Call",
    "Copy",
    "Each",
    "Groups",
    "Magnitude",
    "Op",
    "Permute",
    "Program",
    "Put",
    "Skip",
    "Switch",
    "Through",
    "Unreadable",
    "count_bytes",
    "is_identity",
    "least_read",
    "least_reads",
    "without_empty",
    "tag_bytes",
    "tidy",
    "unreadable",
]


class Copy(NamedTuple):
    """Copy bytes."""

    n: int


class Skip(NamedTuple):
    """Leave out bytes."""

    n: int


class Put(NamedTuple):
    """Write bytes."""

    data: bytes


class Groups(NamedTuple):
    """A LEB128 number, copied or left out."""

    keep: bool


class Magnitude(NamedTuple):
    """The header and the bytes of an ``Integer`` (1) or a ``Natural`` (0), copied or left out."""

    keep: bool
    signed: int


class Block(NamedTuple):
    """A count, and that many elements of constant size. Counts are in LEB128 or not; ``None`` leaves out all."""

    old: bool
    new: Optional[bool]
    least: int
    width: int


class Each(NamedTuple):
    """The same for elements that need a program."""

    old: bool
    new: Optional[bool]
    least: int
    ops: "List[Op]"


class Switch(NamedTuple):
    """A tag: the type, the bytes of the tag, whether today's decoder refuses all tags that this does, and
    what to do for each: a program, or why it is refused."""

    name: str
    width: int
    exact: bool
    alternatives: "List[Union[str, List[Op]]]"


class Call(NamedTuple):
    """The procedure with this number. Those that leave out what they read have negative numbers."""

    number: int


class Permute(NamedTuple):
    """Groups in old order, and their numbers in new order."""

    groups: "List[List[Op]]"
    order: List[int]


class Through(NamedTuple):
    """Write what a decoder makes of the bytes.

    How many it reads, if that is constant; the old and the new layout for :mod:`struct`, if it
    converts one number; how many it reads at least; and whether these are the bytes that it writes.
    """

    read: Callable[[State], bytes]
    size: Optional[int] = None
    layouts: Optional[Tuple[str, str]] = None
    least: int = 1
    exact: bool = False


class Unreadable(NamedTuple):
    """A part whose end is not known. A program may have one only if it changes nothing."""

    mismatch: Mismatch


Op = Union[Copy, Skip, Put, Groups, Magnitude, Block, Each, Switch, Call, Permute, Through, Unreadable]


class Program(NamedTuple):
    """The main program, and procedures."""

    main: List[Op]
    procedures: Dict[int, List[Op]]


def tag_bytes(width: int, i: int) -> bytes:
    """The bytes of a tag.

    >>> tag_bytes(2, 258), tag_bytes(0, 1)
    (b'\\x02\\x01', b'')
    """
    return i.to_bytes(2, "little")[:width]


def count_bytes(compact: bool, n: int) -> bytes:
    """The bytes of a count."""
    return put_varint(n) if compact else n.to_bytes(8, "little")


def is_identity(p: Program) -> bool:
    """Does a program write what it reads, and is all that it refuses refused by today's decoder?"""
    work = [p.main, *p.procedures.values()]
    while work:
        for op in work.pop():
            if isinstance(op, (Skip, Put)):
                same = not op[0]
            elif isinstance(op, (Groups, Magnitude)):
                same = op.keep
            elif isinstance(op, (Block, Each)):
                same = op.old == op.new and op.least == 0
                if isinstance(op, Each):
                    work.append(op.ops)
            elif isinstance(op, Switch):
                same = op.exact
                for i, alternative in enumerate(op.alternatives):
                    if isinstance(alternative, list):
                        if alternative[:1] != [Put(tag_bytes(op.width, i))]:
                            return False
                        work.append(alternative[1:])
            elif isinstance(op, Call):
                same = op.number >= 0
            elif isinstance(op, Through):
                same = op.exact
            else:
                same = isinstance(op, (Copy, Unreadable))
            if not same:
                return False
    return True


def unreadable(p: Program) -> Optional[Mismatch]:
    """A part whose end is not known."""
    for ops in [p.main, *p.procedures.values()]:
        found = _unreadable(ops)
        if found is not None:
            return found
    return None


def _unreadable(ops: List[Op]) -> Optional[Mismatch]:
    for op in ops:
        inner: List[List[Op]] = []
        if isinstance(op, Unreadable):
            return op.mismatch
        if isinstance(op, Each):
            inner = [op.ops]
        elif isinstance(op, Switch):
            inner = [a for a in op.alternatives if isinstance(a, list)]
        elif isinstance(op, Permute):
            inner = op.groups
        for more in inner:
            found = _unreadable(more)
            if found is not None:
                return found
    return None


def tidy(ops: List[Op]) -> List[Op]:
    """Join adjacent steps, and leave out steps that do nothing."""
    out: List[Op] = []
    for op in (y for x in ops for y in _tidied(x)):
        before = out[-1] if out else None
        if isinstance(op, (Copy, Skip, Put)) and not op[0]:
            continue
        if isinstance(op, Copy) and isinstance(before, Copy):
            out[-1] = Copy(before.n + op.n)
        elif isinstance(op, Skip) and isinstance(before, Skip):
            out[-1] = Skip(before.n + op.n)
        elif isinstance(op, Put) and isinstance(before, Put):
            out[-1] = Put(before.data + op.data)
        else:
            out.append(op)
    return out


def _tidied(op: Op) -> List[Op]:
    if isinstance(op, Each):
        ops = tidy(op.ops)
        if op.new is not None and len(ops) == 1 and isinstance(ops[0], Copy):
            return [Block(op.old, op.new, op.least, ops[0].n)]
        if op.new is None and len(ops) == 1 and isinstance(ops[0], Skip):
            return [Block(op.old, op.new, op.least, ops[0].n)]
        return [Each(op.old, op.new, op.least, ops)]
    if isinstance(op, Switch):
        found: List[Union[str, List[Op]]] = [
            a if isinstance(a, str) else tidy(a) for a in op.alternatives
        ]
        plain = all(
            isinstance(a, str) or a == [Put(tag_bytes(op.width, i))] for i, a in enumerate(found)
        )
        return [Copy(op.width)] if op.exact and plain else [op._replace(alternatives=found)]
    if isinstance(op, Permute):
        groups = [tidy(group) for group in op.groups]
        return groups[0] if len(groups) == 1 else [Permute(groups, op.order)]
    return [op]


def without_empty(main: List[Op], procedures: Dict[int, List[Op]]) -> Program:
    """The same program without calls of procedures that do nothing.

    A schema may refer to a record without fields any number of times, and each element of a list
    would make all these calls.
    """
    # Procedures that do nothing but call others, and how many of these calls are left.
    left = {
        i: len(ops) for i, ops in procedures.items() if all(isinstance(op, Call) for op in ops)
    }
    callers: Dict[int, List[int]] = {}
    for i in left:
        for op in procedures[i]:
            if isinstance(op, Call):
                callers.setdefault(op.number, []).append(i)
    work = [i for i, n in left.items() if n == 0]
    empty = set(work)
    while work:
        for i in callers.get(work.pop(), []):
            left[i] -= 1
            if left[i] == 0:
                empty.add(i)
                work.append(i)
    if not empty:
        return Program(main, procedures)
    rest = {i: _without(empty, ops) for i, ops in procedures.items() if i not in empty}
    return Program(_without(empty, main), rest)


def _without(empty: Set[int], ops: List[Op]) -> List[Op]:
    out: List[Op] = []
    for op in ops:
        if isinstance(op, Each):
            out.append(op._replace(ops=_without(empty, op.ops)))
        elif isinstance(op, Switch):
            found: List[Union[str, List[Op]]] = [
                a if isinstance(a, str) else _without(empty, a) for a in op.alternatives
            ]
            out.append(op._replace(alternatives=found))
        elif isinstance(op, Permute):
            out.append(Permute([_without(empty, group) for group in op.groups], op.order))
        elif not (isinstance(op, Call) and op.number in empty):
            out.append(op)
    return tidy(out)


def least_reads(procedures: Dict[int, List[Op]]) -> Dict[int, int]:
    """The least number of bytes that each procedure reads: a lower bound."""
    known = {i: 0 for i in procedures}
    # What matters most is whether it reads bytes at all. (Records may be nested deeply before the first.)
    for count in range(64):
        before = known
        known = {i: least_read(known, ops) for i, ops in procedures.items()}
        if count >= 3 and all(n > 0 or known[i] == 0 for i, n in before.items()):
            break
    return known


def least_read(known: Dict[int, int], ops: List[Op]) -> int:
    """The least number of bytes that some steps read, given those of the procedures."""
    total = 0
    for op in ops:
        if isinstance(op, (Copy, Skip)):
            total += op.n
        elif isinstance(op, Through):
            total += op.size or op.least
        elif isinstance(op, (Groups, Magnitude)):
            total += 1
        elif isinstance(op, (Block, Each)):
            total += 1 if op.old else 8
        elif isinstance(op, Switch):
            total += op.width
        elif isinstance(op, Call):
            total += known.get(op.number, 0)
        elif isinstance(op, Permute):
            total += sum(least_read(known, group) for group in op.groups)
    return min(total, 1 << 60)
