"""The limits of decoding that the size of the input does not bound. They are those of Haskell."""

__all__ = ["LEVELS", "ONE_HASH", "RAISABLE", "STEPS"]

#: How deep values may be nested.
LEVELS = 100_000

#: How many steps may be made that take no bytes.
STEPS = 1_048_576

#: How many keys of a ``dict`` may have one hash: it is built in quadratic time in that number.
ONE_HASH = 256

#: The end of the messages. (Haskell's programs can raise the limits.)
RAISABLE = "; withBudget raises the limit"
