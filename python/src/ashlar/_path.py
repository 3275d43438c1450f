"""The path of a decoder, as errors say it."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

__all__ = ["Frame", "elements_frame", "fields_frame", "labels", "type_frame", "words_frame"]

#: What an error says of a value around it: its type if it shows one, its constructor, and the names
#: of its fields. Elements have no names, but the number of them that was announced.
Frame = Tuple[Optional[str], Optional[str], Optional[Sequence[Sequence[str]]], int]

_INNERMOST, _OUTERMOST = 24, 8


def type_frame(name: str) -> Frame:
    """A value of a type, of which nothing else is known."""
    return (name, None, (), -1)


def fields_frame(name: str, fields: Sequence[str]) -> Frame:
    """A record, with the names of its fields."""
    return (name or None, None, [[f] for f in fields], -1)


def words_frame(name: str, constructor: str, fields: Sequence[str], count: int) -> Frame:
    """A constructor of a sum with this many fields. Without names, several have their positions."""
    named: List[List[str]]
    if fields:
        named = [[w] for w in "".join(f + " " for f in fields).split()][:count]
    else:
        named = [[]] if count == 1 else [[str(i)] for i in range(1, count + 1)]
    return (name, constructor or None, named, -1)


def elements_frame(count: int) -> Frame:
    """Elements, of which so many were announced."""
    return (None, None, None, count)


def labels(frames: Sequence[Frame], parts: Sequence[int]) -> str:
    """The path through the frames, the outermost first, with the number of the part in each.

    The number is the index of an element, or how many fields follow. It is -1 if no part has begun.

    >>> labels([fields_frame("Order", ["id", "items"]), elements_frame(3)], [0, 1])
    'Order.items[1]'
    """
    entries: List[Tuple[Optional[str], str]] = []
    for frame, part in zip(frames, parts):
        entry = _entry(frame, part)
        if entry != (None, ""):
            entries.append(entry)
    if len(entries) > _INNERMOST + _OUTERMOST:
        entries[_OUTERMOST : len(entries) - _INNERMOST] = [(None, "...")]
    out: List[Tuple[bool, str]] = []
    for type_name, rest in entries:
        if type_name is None:
            typed, before = out.pop() if out else (False, "")
            out.append((typed, before + rest))
        elif out and out[-1][0]:
            out.append((True, out.pop()[1] + rest))
        else:
            out.append((True, _type_name(type_name) + rest))
    return " / ".join(_shortened(text[1:] if text[:1] == "." else text) for _, text in out)


def _entry(frame: Frame, part: int) -> Tuple[Optional[str], str]:
    type_name, constructor, fields, _ = frame
    if fields is None:
        return (None, f"[{part}]" if part >= 0 else "")
    text = f".{constructor}" if constructor else ""
    if part >= 0:
        at = max(0, len(fields) - (part + 1))
        text += "".join(f".{w}" for names in fields[at : at + 1] for w in names)
    return (type_name, text)


def _type_name(name: str) -> str:
    # The types of tuples have other names from GHC 9.6 on.
    digits = name[5:]
    if name.startswith("Tuple") and 1 <= len(digits) <= 2 and all(c in "0123456789" for c in digits):
        return "(" + "," * (int(digits) - 1) + ")"
    return name


def _shortened(text: str) -> str:
    return text if len(text) <= 1000 else text[:1000] + ".."
