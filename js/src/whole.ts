/** Leaves that become others without loss. */
import { Sink } from "./bytes.js";
import { Exact } from "./exact.js";
import { Facts, leastOfLeaf } from "./facts.js";
import { leafReader } from "./leafread.js";
import { copy, countBytes, Op, skip, through } from "./ops.js";
import { putValue, putWhole } from "./output.js";
import { textOf } from "./planning.js";
import { isWhole, Leaf, NUMBERS, Shape } from "./shapes.js";
import { State } from "./state.js";

/** Copy or leave out a leaf. */
export function leafOps(keep: boolean, l: Leaf): Op[] {
  if (l.enc === "varint" || l.enc === "zigzag") return [{ op: "groups", keep }];
  switch (l.type) {
    case "unit": return [];
    case "integer": case "natural": case "fixedPoint": case "date": case "duration":
      return [{ op: "magnitude", keep, signed: l.type !== "natural" }];
    case "bytes": case "byteArray": case "utf8": case "utf16":
      return [{ op: "block", old: l.compact, next: keep ? l.compact : null, least: 0, width: l.type === "utf16" ? 2 : 1 }];
    default: return [(keep ? copy : skip)(leastOfLeaf(l))];
  }
}

/** Strings whose length is written in another way. May their order change, too? */
export function stringOps(reordered: boolean, a: Leaf, b: Leaf): Op[] | null {
  const blob = (l: Leaf): boolean => l.type === "bytes" || l.type === "byteArray";
  const blobs = blob(a) && blob(b) && (reordered || a.type === b.type);
  if (!blobs && !(a.type === "utf8" && b.type === "utf8")) return null;
  return [{ op: "block", old: a.compact, next: b.compact, least: 0, width: 1 }];
}

/** The kind of a whole number (of a date, say), and its least and its greatest value if there are any. */
interface Range { kind: string; low: bigint | null; high: bigint | null }

function rangeOf(s: Shape): Range | null {
  const l = s.k === "between" ? s.leaf : s;
  if (l.k !== "leaf" || !(isWhole(l) || s.k === "between")) return null;
  const kind = ["fixedPoint", "date", "duration"].includes(l.type) ? `${l.type} ${l.units}` : "";
  if (s.k === "between") return { kind, low: s.low, high: s.high };
  const n = NUMBERS.get(l.type);
  if (n !== undefined) return { kind, low: n[1], high: n[2] };
  return { kind, low: l.type === "natural" ? 0n : null, high: null };
}

function fits(a: Range | null, b: Range | null): boolean {
  if (a === null || b === null || a.kind !== b.kind) return false;
  const under = b.low === null || (a.low !== null && b.low <= a.low);
  return under && (b.high === null || (a.high !== null && b.high >= a.high));
}

/**
 * The steps for a number to become a number of another shape, if that has all of its values. One whose shape stays is
 * copied: its bounds are checked when the new value is read.
 */
export function wholeOps(x: Shape, y: Shape): Op[] | null {
  const old = rangeOf(x);
  const leaf = x.k === "between" ? x.leaf : x;
  if (old !== null && leaf.k === "leaf" && textOf(x) === textOf(y)) return leafOps(true, leaf);
  if (y.k === "leaf" && (y.type === "float32" || y.type === "float64")) {
    const wider = x.k === "leaf" && x.type === "float32" && y.type === "float64";
    const most = y.type === "float64" ? 1n << 53n : 1n << 24n;
    const exact = old !== null && old.kind === "" && old.low !== null && old.high !== null && old.low >= -most && old.high <= most;
    return wider || exact ? [rewritten(x, y, Number)] : null;
  }
  if (!fits(old, rangeOf(y))) return null;
  return [rewritten(x, y.k === "between" ? y.leaf : y, (n) => n)];
}

/** Read a value of the old shape, which decides what is refused, and write it as another one. */
function rewritten(x: Shape, y: Shape, change: (value: unknown) => unknown): Op {
  const facts = new Facts([]);
  const exact = new Exact(x, facts);
  const read = (st: State): Uint8Array => {
    const value = change(exact.read(st));
    const out = new Sink();
    if (y.k === "leaf" && isWhole(y)) putWrapped(out, y, BigInt(value as bigint));
    else putValue(out, facts, y, value);
    return out.slice();
  };
  return through(false, read, tableSize(x, y));
}

/** Bounds may be wider than what the type holds. Such numbers wrap around, as in Haskell. */
function putWrapped(out: Sink, l: Leaf, n: bigint): void {
  const number = NUMBERS.get(l.type);
  if (number === undefined) { putWhole(out, l, l.type === "natural" && n < 0n ? 0n : n); return; }
  const bits = l.enc === "varint" || l.enc === "zigzag" ? 64 : 8 * number[0];
  putWhole(out, l, number[1] < 0n || l.enc === "zigzag" ? BigInt.asIntN(bits, n) : BigInt.asUintN(bits, n));
}

/** The bytes of a number whose conversion is a step of constant size in Haskell, too. */
function tableSize(x: Shape, y: Shape): number | null {
  if (x.k !== "leaf" || y.k !== "leaf" || x.enc !== "" || y.enc !== "") return null;
  const both = NUMBERS.has(x.type) && NUMBERS.has(y.type);
  return both || (x.type === "float32" && y.type === "float64") ? leastOfLeaf(x) : null;
}

const isText = (l: Leaf): boolean => l.type === "utf8" || l.type === "utf16";

/** The steps for text to become text in another encoding. */
export function textOps(a: Leaf, b: Leaf): Op[] | null {
  return isText(a) && isText(b) ? [rewritten(a, b, (t) => t)] : null;
}

/** The steps for text to become a list of characters. */
export function lettersOps(a: Leaf, compact: boolean, b: Leaf): Op[] | null {
  if (!isText(a) || !(b.type === "char" || b.type === "scalarValue")) return null;
  const readText = leafReader(a);
  const read = (st: State): Uint8Array => {
    const chars = [...(readText(st) as string)];
    const out = new Sink();
    out.bytes(countBytes(compact, chars.length));
    for (const c of chars) out.u32(c.codePointAt(0) as number);
    return out.slice();
  };
  return [through(false, read, null)];
}
