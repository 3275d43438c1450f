"""Run a program: old bytes to new bytes."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Set, Tuple

from ._ops import (
    Block,
    Call,
    Copy,
    Each,
    Groups,
    Magnitude,
    Op,
    Permute,
    Program,
    Put,
    Skip,
    Switch,
    Through,
    count_bytes,
    least_read,
    least_reads,
)
from ._state import State
from ._trampoline import run

__all__ = ["Translation", "origin"]

_Runs = Generator[Any, Any, Any]

# How many bytes may be written before they are compared with those read.
_FREE = 256


class _Out:
    # The new bytes in pieces: each with the offset that it comes from, and whether it is a copy of
    # the bytes there.
    # Fields in another order are pieces in lists of their own: moving the bytes of a recursive type
    # at each level would take quadratic time.
    def __init__(self, start: int) -> None:
        self.pieces: List[Any] = []
        self.start = start
        self.size = 0
        self.checkpoint = _FREE
        self.charged = 0

    def put(self, st: State, data: bytes, at: int, exact: bool) -> None:
        self.size += len(data)
        if self.size > self.checkpoint:
            self.charge(st)
            self.checkpoint = max(2 * self.checkpoint, self.size)
        self.pieces.append((data, at, exact))

    def charge(self, st: State) -> None:
        due = (self.size - 8 * (st.at - self.start) - _FREE) >> 6
        if due > self.charged:
            st.spend(" steps to fill in what old data lack", due - self.charged)
            self.charged = due


class Translation:
    """A program that is ready to run."""

    def __init__(self, program: Program) -> None:
        self._main = program.main
        self._procedures = program.procedures
        self._least = least_reads(program.procedures)
        self._recursive = _recursive(program)
        self._needs: Dict[int, Tuple[List[Op], List[int]]] = {}
        self._branches: Dict[int, List[Op]] = {}

    def run(self, st: State) -> Tuple[bytes, List[Tuple[bytes, int, bool]]]:
        """The new bytes of the value at the cursor, and the pieces that they consist of."""
        out = _Out(st.at)
        run(self._steps(self._main, st, out))
        pieces = _flat(out.pieces)
        return b"".join([data for data, _, _ in pieces]), pieces

    def _steps(self, ops: List[Op], st: State, out: _Out) -> _Runs:
        key = id(ops)
        if key not in self._needs:
            # (The list is kept, so that no other one gets its number.)
            self._needs[key] = (ops, _needs(ops))
        for op, need in zip(ops, self._needs[key][1]):
            st.need(need)
            if isinstance(op, Copy):
                _copy(st, out, op.n)
            elif isinstance(op, Skip):
                st.need(op.n)
                st.at += op.n
            elif isinstance(op, Put):
                out.put(st, op.data, st.at, False)
            elif isinstance(op, Block):
                _block(op, st, out)
            elif isinstance(op, Through):
                at = st.at
                out.put(st, op.read(st), at, False)
            elif isinstance(op, Groups):
                _extent(st, out, op.keep, _groups(st))
            elif isinstance(op, Magnitude):
                h, n = _leb(st, "a header that does not fit")
                _extent(st, out, op.keep, h + (n >> op.signed))
            elif isinstance(op, Each):
                yield self._each(op, st, out)
            elif isinstance(op, Switch):
                yield self._switch(op, st, out)
            elif isinstance(op, Call):
                deep = op.number in self._recursive
                if deep:
                    st.enter((None, None, (), -1))
                yield self._steps(self._procedures[op.number], st, out)
                if deep:
                    st.leave()
            elif isinstance(op, Permute):
                yield self._permuted(op, st, out)

    def _switch(self, op: Switch, st: State, out: _Out) -> _Runs:
        tag = _tag(op, st)
        found = op.alternatives[tag]
        if isinstance(found, str):
            st.invalid(st.at, found)
        if _is_tags(op):
            # The tag and what follows it stay together.
            rest = found[1:]
            size = sum(x.n for x in rest if isinstance(x, Copy))
            st.need(1 + size)
            put = found[0]
            assert isinstance(put, Put)
            out.put(st, put.data, st.at, True)
            st.at += 1
            _copy(st, out, size)
            return
        branch = self._branches.get(id(found))
        if branch is None:
            branch = self._branches[id(found)] = [Skip(op.width), *found]
        yield self._steps(branch, st, out)

    def _each(self, op: Each, st: State, out: _Out) -> _Runs:
        h, n = _counted(op.old, op.least, st)
        if op.new is None:
            st.at += h
        elif op.new == op.old:
            _copy(st, out, h)
        else:
            out.put(st, count_bytes(op.new, n), st.at, False)
            st.at += h
        # What is asked below takes time for each step, which no element pays for here.
        if n == 0:
            return
        if least_read(self._least, op.ops) <= 0:
            st.spend(" elements of no bytes", n)
        # Elements of simple steps only are read step by step.
        if all(map(_is_simple, op.ops)):
            self._needs[id(op.ops)] = (op.ops, [0] * len(op.ops))
        for _ in range(n):
            yield self._steps(op.ops, st, out)

    def _permuted(self, op: Permute, st: State, out: _Out) -> _Runs:
        before, out.pieces = out.pieces, []
        groups = []
        for group in op.groups:
            out.pieces = []
            yield self._steps(group, st, out)
            groups.append(out.pieces)
        out.pieces = before
        for i in op.order:
            out.pieces.append(groups[i])


def _flat(pieces: List[Any]) -> List[Tuple[bytes, int, bool]]:
    out: List[Tuple[bytes, int, bool]] = []
    work = list(reversed(pieces))
    while work:
        piece = work.pop()
        if isinstance(piece, list):
            work.extend(reversed(piece))
        else:
            out.append(piece)
    return out


def origin(pieces: List[Tuple[bytes, int, bool]], k: int, end: int) -> int:
    """The offset of the old byte that a new byte comes from; the end, if it is after the last one."""
    for data, at, exact in pieces:
        if k < len(data):
            return at + k if exact else at
        k -= len(data)
    return end


def _recursive(program: Program) -> Set[int]:
    # The procedures that are called while they run.
    found: Set[int] = set()
    done: Set[int] = set()
    work: List[Tuple[int, bool]] = [(i, False) for i in reversed(_callees(program.main))]
    inside: Set[int] = set()
    while work:
        i, leaves = work.pop()
        if leaves:
            inside.discard(i)
            done.add(i)
        elif i in inside:
            found.add(i)
        elif i not in done:
            inside.add(i)
            work.append((i, True))
            work.extend((j, False) for j in sorted(set(_callees(program.procedures[i])), reverse=True))
    return found


def _callees(ops: List[Op]) -> List[int]:
    out: List[int] = []
    for op in ops:
        if isinstance(op, Call):
            out.append(op.number)
        elif isinstance(op, Each):
            out += _callees(op.ops)
        elif isinstance(op, Switch):
            out += [i for a in op.alternatives if isinstance(a, list) for i in _callees(a)]
        elif isinstance(op, Permute):
            out += [i for group in op.groups for i in _callees(group)]
    return out


def _copy(st: State, out: _Out, n: int) -> None:
    st.need(n)
    at = st.at
    st.at += n
    out.put(st, st.data[at : at + n], at, True)


def _extent(st: State, out: _Out, keep: bool, n: int) -> None:
    if keep:
        _copy(st, out, n)
    else:
        st.need(n)
        st.at += n


def _groups(st: State) -> int:
    # The number of bytes of a LEB128 number.
    for i in range(10):
        st.need(i + 1)
        if st.data[st.at + i] < 128:
            return i + 1
    st.invalid(st.at, "a varint of more than 10 bytes")


def _leb(st: State, message: str) -> Tuple[int, int]:
    # A LEB128 number that is not negative: how many bytes it takes, and the number.
    n = 0
    for i in range(9):
        st.need(i + 1)
        b = st.data[st.at + i]
        n |= (b & 127) << 7 * i
        if b < 128:
            if b == 0 and i > 0:
                st.invalid(st.at, "a varint that is not in its shortest form")
            if n > ((1 << 63) - 1) // 4:
                break
            return i + 1, n
    st.invalid(st.at, message)


def _counted(compact: bool, least: int, st: State) -> Tuple[int, int]:
    # A count: how many bytes it takes, and the number. The cursor stays.
    if compact:
        h, n = _leb(st, "a length that does not fit")
    else:
        st.need(8)
        h, n = 8, int.from_bytes(st.data[st.at : st.at + 8], "little", signed=True)
        if n < 0:
            st.invalid(st.at, f"negative length {n}")
    if n < least:
        st.invalid(st.at, "NonEmpty: no elements")
    return h, n


def _block(op: Block, st: State, out: _Out) -> None:
    h, n = _counted(op.old, op.least, st)
    if op.width > 0 and n > ((1 << 63) - 17) // op.width:
        st.invalid(st.at, "a length that does not fit")
    if op.new is None or op.new == op.old:
        _extent(st, out, op.new is not None, h + n * op.width)
        return
    # Write nothing for a length before the bytes that it announces are there.
    st.need(h + n * op.width)
    out.put(st, count_bytes(op.new, n), st.at, False)
    st.at += h
    _copy(st, out, n * op.width)


def _tag(op: Switch, st: State) -> int:
    if op.width == 0:
        st.invalid(st.at, f"{op.name} has no values")
    st.need(op.width)
    tag = int.from_bytes(st.data[st.at : st.at + op.width], "little")
    if tag >= len(op.alternatives):
        st.invalid(st.at, f"{op.name}: there is no constructor {tag}")
    return tag


def _is_tags(op: Switch) -> bool:
    # Has each alternative a tag of one byte, and perhaps bytes that are copied?
    if op.width != 1:
        return False
    return all(
        not isinstance(a, str)
        and 1 <= len(a) <= 2
        and isinstance(a[0], Put)
        and len(a[0].data) == 1
        and all(isinstance(x, Copy) for x in a[1:])
        for a in op.alternatives
    )


def _constant(op: Op) -> Optional[int]:
    # How many bytes a step reads, if that is constant.
    if isinstance(op, (Copy, Skip)):
        return op.n
    if isinstance(op, Through):
        return op.size
    return 0 if isinstance(op, Put) else None


def _is_simple(op: Op) -> bool:
    if isinstance(op, Block):
        return op.old is False and op.new is False and op.least == 0 and op.width > 0
    return _constant(op) is not None or (isinstance(op, Switch) and _is_tags(op))


def _needs(ops: List[Op]) -> List[int]:
    # How many bytes to make sure of before each step. Adjacent steps of constant size are one check,
    # unless they are among others that are simple, too. (So errors are those of Haskell.)
    needs = [0] * len(ops)
    i = 0
    while i < len(ops):
        end = i
        while end < len(ops) and _is_simple(ops[end]):
            end += 1
        if end - i >= 3 and any(_constant(op) is None for op in ops[i:end]):
            i = end
            continue
        end = i
        while end < len(ops) and _constant(ops[end]) is not None:
            end += 1
        if end > i:
            needs[i] = sum(_constant(op) or 0 for op in ops[i:end])
        i = max(end, i + 1)
    return needs
