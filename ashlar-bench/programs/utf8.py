# Characters to standard output in UTF-8, by Python's library: 1 million characters, mixed, from String
import itertools
import sys

n = int(sys.argv[1]) if len(sys.argv) > 1 else 0
with open(1, "w", encoding="utf-8", buffering=32768) as out:
    for c in itertools.islice(itertools.cycle("abcdef\u00e4\u20ac\U0001d538"), n):
        out.write(c)
