"""The limits of decoding that the size of the input does not bound. They are those of Haskell."""

__all__ = ["LEVELS", "RAISABLE", "STEPS"]

#: How deep values may be nested.
LEVELS = 100_000

#: How many steps may be made that take no bytes.
STEPS = 1_048_576

#: The end of the messages. (Haskell's programs can raise the limits.)
RAISABLE = "; withBudget raises the limit"
