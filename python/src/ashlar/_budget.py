"""The limits of decoding that the size of the input does not bound. They are those of Haskell, but for one."""

__all__ = ["LEVELS", "PARTS", "RAISABLE", "STEPS"]

#: How deep values may be nested.
LEVELS = 100_000

#: How many steps may be made that take no bytes.
STEPS = 1_048_576

#: How many parts may be made of values that have few bytes for them. Haskell makes up to 64 of them
#: in a step. Python would take minutes, and gigabytes.
PARTS = STEPS

#: The end of the messages. (Haskell's programs can raise the limits.)
RAISABLE = "; withBudget raises the limit"
