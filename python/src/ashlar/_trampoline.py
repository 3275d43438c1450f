"""Calls that do not use Python's stack."""

from __future__ import annotations

from typing import Any, Generator, List

__all__ = ["run"]


def run(start: Generator[Any, Any, Any]) -> Any:
    """Run a generator that yields the generators that it waits for. Returns what it returns.

    A generator must not keep the one that it waits for in a variable: freeing a long chain of them
    would need as much of the stack as this saves.

    >>> def depth(n):
    ...     return 0 if n == 0 else 1 + (yield depth(n - 1))
    >>> run(depth(10000))
    10000
    """
    stack: List[Generator[Any, Any, Any]] = [start]
    value: Any = None
    while stack:
        try:
            child = stack[-1].send(value)
        except StopIteration as done:
            stack.pop()
            value = done.value
        else:
            stack.append(child)
            value = None
    return value
