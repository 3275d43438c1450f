"""``python -m ashlar show|schema|verify FILE``."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from typing import Any, ContextManager, Optional, Sequence

from . import _verify
from ._blocks import schemas_of
from ._describe import describe_schema
from ._jsontext import printable
from ._layout import MAGIC
from .damage import Damage, Lost
from .errors import AshlarError, DecodeError, escaped
from .files import by_own_schema, read_lines, read_shown
from .schema import Schema
from .source import python_source

__all__ = ["main", "run"]


def run() -> None:
    """The program."""
    if sys.stdout is None:
        # It was closed before the program began.
        sys.exit(2)
    status = 0
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads the results any more.
        _discard(sys.stdout)
    sys.exit(status)


def _discard(stream: Any) -> None:
    # What is in its buffer, and what follows, goes nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def main(arguments: Sequence[str]) -> int:
    """Run a command. Returns the exit status: 0 if all is well, 1 for damage, 2 for what cannot be read.

    >>> import tempfile, ashlar
    >>> words = ashlar.bind(ashlar.Schema(ashlar.shapes.Leaf("utf8")))
    >>> path = tempfile.mkdtemp() + "/words"
    >>> ashlar.write(path, words, ["brick", "mortar"])
    >>> main(["show", "--json", path])
    "brick"
    "mortar"
    0
    >>> main(["schema", path])
    Text
    0
    """
    options = _parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    try:
        return int(options.command(options))
    except Damage as e:
        return _ended(_not_records(options.file) if _is_foreign(e) else str(e), ending_of(e))
    except BrokenPipeError:
        raise
    except (AshlarError, OSError) as e:
        return _ended(str(e), 2)


def _ended(text: str, status: int) -> int:
    # What was wrong is the status, even if nobody reads the results before it.
    with contextlib.suppress(BrokenPipeError):
        _complain(text)
    return status


def _parser() -> argparse.ArgumentParser:
    # (Names of options are not abbreviated, as by the tool.)
    parser = argparse.ArgumentParser("python -m ashlar", description="Files of records of Ashlar.", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="show records, one in a line", allow_abbrev=False)
    show.add_argument("--json", action="store_true", help="as JSON, with all digits of each number")
    show.add_argument("--from", dest="start", type=_number, default=0, metavar="N", help="begin with record N")
    show.add_argument("--count", type=_number, metavar="M", help="at most M records")
    show.add_argument("-k", "--keep-going", action="store_true", help="go on after damage")
    show.set_defaults(command=_show)
    schema = commands.add_parser("schema", help="show the type of the records", allow_abbrev=False)
    style = schema.add_mutually_exclusive_group()
    style.add_argument("--json", action="store_true", help="as JSON")
    style.add_argument("--python", action="store_true", help="as Python source")
    schema.set_defaults(command=_schema)
    verify = commands.add_parser("verify", help="check structure, checksums and values", allow_abbrev=False)
    verify.set_defaults(command=_verified)
    for command in (show, schema, verify):
        command.add_argument("file", metavar="FILE")
    return parser


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 1 << 63:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number from 0 to {(1 << 63) - 1} is needed, not {escaped(text[:40])}")


def _complain(text: str) -> None:
    sys.stdout.flush()
    if sys.stderr is None:
        return
    try:
        print(f"ashlar: {escaped(text)}", file=sys.stderr, flush=True)
    except OSError:
        # Messages that cannot be written are lost. The exit status is still right.
        _discard(sys.stderr)


def _not_records(path: str) -> str:
    return f"{path}: not a file of records"


def _is_foreign(damage: Damage) -> bool:
    # Does it begin in another way than a file of records?
    cause = damage.cause
    short = cause.kind == "TruncatedHeader" and damage.offset == 0 and cause.left < len(MAGIC)
    return cause.kind == "NotAFile" or short


def _expect_records(path: str) -> None:
    if path != "-" and not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if os.path.isfile(path):
        with open(path, "rb") as f:
            if f.read(len(MAGIC)) != MAGIC:
                raise AshlarError(_not_records(path))


def ending_of(damage: Damage) -> int:
    """Is it damage (1), or something else that cannot be read (2)?"""
    cause = damage.cause
    foreign = _is_foreign(damage) or cause.kind in ("LaterVersion", "WrongType")
    # (A header that names none is wrong about a block that is compressed.)
    unknown = cause.kind == "UnknownCompression" and cause.left > 0
    other = cause.other is not None and cause.other.has_header
    large = cause.kind == "TooLarge" and damage.block is not None
    return 2 if foreign or unknown or other or large else 1


def lost_text(lost: Lost) -> str:
    """Damage, and what was lost because of it."""
    damage, n = lost.damage, lost.next
    gone = " lost" if ending_of(damage) == 1 else " passed over"
    if n is None:
        return f"{damage}; nothing follows"
    count = n - damage.record
    records = f"{count} record{'' if count == 1 else 's'}{gone}"
    if lost.other:
        some = f"at least {records}" if count > 0 else f"perhaps records{gone}"
        return f"{damage}; {some}, going on in another file at byte {lost.to}"
    return f"{damage}; {records if count > 0 else f'no records{gone}'}, going on at byte {lost.to}"


def _show(options: argparse.Namespace) -> int:
    worst = 0

    def report(lost: Lost) -> None:
        nonlocal worst
        worst = max(worst, ending_of(lost.damage))
        _complain(lost_text(lost))

    reads = read_lines if options.json else read_shown
    resync = report if options.keep_going else None
    _expect_records(options.file)
    if options.count == 0:
        return 0
    try:
        with _source(options.file) as source:
            records = reads(source, start=options.start, resync=resync, name=options.file)
            for i, line in enumerate(records, 1):
                print(line)
                if i == options.count:
                    break
    except BrokenPipeError:
        # Nobody reads on. The damage before that is still the status.
        _discard(sys.stdout)
    return worst


def _source(path: str) -> ContextManager[Any]:
    # A name, or what is read from its beginning on, such as a pipe.
    if path == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    if os.path.exists(path) and not os.path.isfile(path):
        return open(path, "rb")
    return contextlib.nullcontext(path)


def _schema(options: argparse.Namespace) -> int:
    found = schemas_of(options.file)
    last = _readable(options.file, found[-1][1])
    if options.json:
        print(_ascii(last.to_json()))
    elif options.python:
        print(python_source(last), end="")
    else:
        for start, schema in found:
            if len(found) > 1:
                print(f"-- from record {start} on")
            one = _readable(options.file, schema)
            print(describe_schema(one.root, one.definitions), end="")
    return 0


def _readable(path: str, schema: bytes) -> Schema:
    try:
        return Schema.decode(schema)
    except DecodeError as e:
        raise AshlarError(f"{path}: no schema that can be read: {e}") from None


def _ascii(text: str) -> str:
    # All that is not ASCII stands in strings.
    return printable(text)


def _verified(options: argparse.Namespace) -> int:
    worst = 0

    def report(text: str, damage: Optional[Damage]) -> None:
        nonlocal worst
        worst = max(worst, 0 if damage is None else ending_of(damage))
        _say(text)

    _expect_records(options.file)
    try:
        what = _verify.verify(options.file, by_own_schema, report, lost_text)
    except Damage as e:
        _say(str(e))
        return ending_of(e)
    word = ["ok", "damaged", "not checked as a whole"][worst]
    _say(f"{options.file}: {word}, {what}{' readable' if worst else ''}")
    return worst


def _say(text: str) -> None:
    # The status does not depend on somebody who reads this.
    try:
        print(escaped(text), flush=True)
    except BrokenPipeError:
        _discard(sys.stdout)


if __name__ == "__main__":
    run()
