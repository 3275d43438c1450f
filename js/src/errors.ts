/** What reading and writing throw. */

/** The base of all errors of this package. */
export class AshlarError extends Error {
  override name = "AshlarError";
}

const CONTROLS = "NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");

/** A text in one line: control characters are escaped as Haskell's `show` does it. */
export function escaped(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) => {
    const n = c.charCodeAt(0);
    return "\\" + (CONTROLS[n] ?? (n === 127 ? "DEL" : String(n)));
  });
}

/** Bytes as Haskell's `show` writes them. */
export function shown(bytes: Uint8Array): string {
  let out = "";
  bytes.forEach((b, i) => {
    const after = bytes[i + 1] ?? 0;
    if (b === 34 || b === 92) out += "\\" + String.fromCharCode(b);
    else if (b < 32) out += "\\" + CONTROLS[b] + (b === 14 && after === 72 ? "\\&" : "");
    else if (b < 127) out += String.fromCharCode(b);
    else out += (b === 127 ? "\\DEL" : "\\" + b + (after >= 48 && after <= 57 ? "\\&" : ""));
  });
  return `"${out}"`;
}

/**
 * Bytes that are refused: where, and why. The message is the first line that Haskell's `displayException` shows.
 * `offset` counts from the beginning of the value, `path` is the way to the part that is wrong.
 */
export class DecodeError extends AshlarError {
  override name = "DecodeError";
  constructor(readonly offset: number, readonly path: string, readonly reason: string) {
    super(escaped(`at byte ${offset}${path === "" ? "" : `, in ${path}`}: ${reason}`));
  }
}

/** A value that is not one of the schema. `path` is the way to the part that is wrong. */
export class EncodeError extends AshlarError {
  override name = "EncodeError";
  constructor(readonly reason: string, readonly path: string = "") {
    super(escaped(path === "" ? reason : `in ${path}: ${reason}`));
  }
}
