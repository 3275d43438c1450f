"""What of an old schema cannot be read as today's type."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

from ._describe import clean

__all__ = ["AROUND_ALL", "Advice", "Mismatch", "in_evolution_of"]

#: What to write to fix a mismatch, in words.
Advice = str

AROUND_ALL = "read it as a newtype, and say how with converted @\"1\" in the newtype's evolution"


def _cut(most: int, text: str) -> str:
    return clean(text[:most]) + "..." if len(text) > most else clean(text)


def in_evolution_of(name: str, suggestions: Sequence[Tuple[str, str]]) -> Advice:
    """What to say in the evolution of a type: for each suggestion, words around the name of a field."""
    said = [words.replace("NAME", f'@"{_cut(100, n)}"') for words, n in suggestions]
    return ", or ".join(said) + f" in the evolution of {_cut(100, name)}"


class Mismatch(Exception):
    """What does not fit, where, and what to write.

    ``kind`` and ``names`` say what; ``path`` is the way to it in today's type.
    """

    def __init__(self, path: str, kind: str, names: Sequence[str] = (), advice: Optional[Advice] = None) -> None:
        super().__init__(path, kind, names)
        self.path = path
        self.kind = kind
        self.names: List[str] = list(names)
        self.advice = advice

    def describe(self) -> str:
        """The mismatch in one line."""
        text = f"{_cut(400, self.path)}: {self._what()}"
        return text if self.advice is None else f"{text}; {self.advice}"

    def _what(self) -> str:
        names = [_cut(200 if self.kind == "CannotBecome" else 100, n) for n in self.names]
        return _WORDS[self.kind].format(*names)


_WORDS = {
    "FieldIsNew": "the field is new",
    "FieldIsUnknown": "the data have a field {} that the type does not have",
    "FieldIsAmbiguous": "two fields of the data would become {}",
    "ConstructorIsUnknown": "the data may have a constructor {} that the type does not have",
    "CannotBecome": "{} cannot become {}",
    "KeyChanges": "a key may only become a wider number, because keys must stay in order",
    "NotDescribed": "the format {} is not described, so nothing around it can change and it cannot be dropped",
    "IsIrregular": "the irregular type {} can be read only if nothing changes",
    "HasNoValues": "a newtype of itself has no values",
    "TooLarge": "the schemas are too large to be compared",
}
