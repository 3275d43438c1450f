"""Graphs of definitions."""

from __future__ import annotations

from typing import Dict, List, Sequence, Set, Tuple

__all__ = ["components"]


def components(graph: Dict[int, Sequence[int]]) -> Tuple[List[int], Set[int]]:
    """The nodes, each after those that it leads to as far as there is such an order; and the nodes on cycles.

    This is Tarjan's algorithm without recursion: a schema may have a long chain of definitions.
    Edges to what is no node are ignored.

    >>> components({0: [1, 2], 1: [1], 2: []})
    ([1, 2, 0], {1})
    """
    order: List[int] = []
    cyclic: Set[int] = set()
    number: Dict[int, int] = {}
    low: Dict[int, int] = {}
    stack: List[int] = []
    on_stack: Set[int] = set()
    for start in graph:
        if start in number:
            continue
        work: List[Tuple[int, int]] = [(start, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                number[node] = low[node] = len(number)
                stack.append(node)
                on_stack.add(node)
            edges = graph[node]
            descended = False
            while at < len(edges):
                to = edges[at]
                at += 1
                if to not in graph:
                    continue
                if to not in number:
                    work.append((node, at))
                    work.append((to, 0))
                    descended = True
                    break
                if to in on_stack:
                    low[node] = min(low[node], number[to])
            if descended:
                continue
            if low[node] == number[node]:
                members = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    members.append(member)
                    if member == node:
                        break
                order.extend(members)
                if len(members) > 1 or node in edges:
                    cyclic.update(members)
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
    return order, cyclic
