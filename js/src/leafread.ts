/** Reading what has no parts. */
import { toHex } from "./bytes.js";
import { Leaf, NUMBERS } from "./shapes.js";
import { State } from "./state.js";

/** Bytes as a number, the least significant first. */
export function bigOf(data: Uint8Array, from: number, to: number): bigint {
  if (to - from <= 8) {
    let n = 0n;
    for (let i = to - 1; i >= from; i--) n = (n << 8n) | BigInt(data[i] as number);
    return n;
  }
  return BigInt("0x" + toHex(data.slice(from, to).reverse()));
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf16 = new TextDecoder("utf-16le", { fatal: true, ignoreBOM: true });

/** How many bytes from an index on are UTF-8. */
function goodUtf8(d: Uint8Array, from: number, to: number): number {
  let i = from;
  const more = (j: number, low: number, high: number): boolean => {
    const b = j < to ? (d[j] as number) : 0;
    return b >= low && b <= high;
  };
  while (i < to) {
    const b = d[i] as number;
    if (b < 0x80) { i++; continue; }
    const n = b >= 0xc2 && b <= 0xdf ? 1 : b >= 0xe0 && b <= 0xef ? 2 : b >= 0xf0 && b <= 0xf4 ? 3 : 0;
    if (n === 0) break;
    const low = b === 0xe0 ? 0xa0 : b === 0xf0 ? 0x90 : 0x80;
    const high = b === 0xed ? 0x9f : b === 0xf4 ? 0x8f : 0xbf;
    if (!more(i + 1, low, high)) break;
    let ok = true;
    for (let j = 2; j <= n; j++) ok = ok && more(i + j, 0x80, 0xbf);
    if (!ok) break;
    i += n + 1;
  }
  return i;
}

function magnitude(st: State, n: bigint): bigint {
  if (n >> 63n !== 0n) st.invalid(st.at, "Integer: more bytes than there can be");
  const start = st.skip(n);
  if (n > 0n && st.data[st.at - 1] === 0) st.invalid(start, "Integer: more bytes than needed");
  return bigOf(st.data, start, st.at);
}

function integer(st: State): bigint {
  const h = st.varint();
  const m = magnitude(st, h >> 1n);
  if ((h & 1n) === 0n) return m;
  if (m === 0n) st.invalid(st.at, "Integer: a negative zero");
  return -m;
}

function number(l: Leaf): (st: State) => unknown {
  const [size, low, high] = NUMBERS.get(l.type) as readonly [number, bigint, bigint];
  const own = size <= 4 ? Number : (n: bigint): bigint => n;
  if (l.enc === "varint") {
    return (st) => {
      const start = st.at;
      let n = st.varint();
      if (low < 0n && n >> 63n !== 0n) n -= 1n << 64n;
      if (n < low || n > high) st.invalid(start, "a varint that does not fit its type");
      return own(n);
    };
  }
  if (l.enc === "zigzag") {
    return (st) => {
      const start = st.at;
      const w = st.varint();
      const n = (w & 1n) === 0n ? w >> 1n : -(w >> 1n) - 1n;
      if (n >= low && n <= high) return own(n);
      if (low < 0n) st.invalid(start, "a varint that does not fit its type");
      // The largest numbers of 64 bits without a sign wrap around, as those of the type do.
      if (high >> 63n !== 0n) return n + (1n << 64n);
      return st.invalid(start, n < 0n ? "less than 0" : `more than ${high}`);
    };
  }
  const le = l.enc !== "bigEndian";
  switch (l.type) {
    case "word8": return (st) => st.data[st.skip(1)];
    case "int8": return (st) => st.view.getInt8(st.skip(1));
    case "word16": return (st) => st.view.getUint16(st.skip(2), le);
    case "int16": return (st) => st.view.getInt16(st.skip(2), le);
    case "word32": return (st) => st.view.getUint32(st.skip(4), le);
    case "int32": return (st) => st.view.getInt32(st.skip(4), le);
    case "word64": return (st) => st.view.getBigUint64(st.skip(8), le);
    default: return (st) => st.view.getBigInt64(st.skip(8), le);
  }
}

function char(l: Leaf): (st: State) => string {
  return (st) => {
    const start = st.at;
    const n = l.enc === "varint" ? st.varint() : st.view.getUint32(st.skip(4), true);
    if (n > 0x10ffff) st.invalid(start, `a Char is at most 1114111, not ${n}`);
    return String.fromCodePoint(Number(n));
  };
}

/** A reader of a leaf. */
export function leafReader(l: Leaf): (st: State) => unknown {
  if (NUMBERS.has(l.type)) return number(l);
  const le = l.enc !== "bigEndian";
  switch (l.type) {
    case "unit": return () => [];
    case "float32": return (st) => st.view.getFloat32(st.skip(4), le);
    case "float64": return (st) => st.view.getFloat64(st.skip(8), le);
    case "bool":
      return (st) => {
        st.need(1);
        const b = st.data[st.at] as number;
        if (b > 1) st.invalid(st.at, `a Bool is 0 or 1, not ${b}`);
        st.at++;
        return b === 1;
      };
    case "char": return char(l);
    case "scalarValue": {
      const read = char(l);
      return (st) => {
        const start = st.at;
        const c = read(st);
        if (/^[\ud800-\udfff]$/.test(c)) st.invalid(start, "a surrogate");
        return c;
      };
    }
    case "natural": return (st) => magnitude(st, st.varint());
    case "bytes": case "byteArray": return (st) => st.take(st.length(l.compact));
    case "utf8":
      return (st) => {
        const start = st.skip(st.length(l.compact));
        try {
          return utf8.decode(st.data.subarray(start, st.at));
        } catch {
          return st.invalid(goodUtf8(st.data, start, st.at), "invalid UTF-8");
        }
      };
    case "utf16":
      return (st) => {
        const n = st.length(false);
        if (n > 0x3fffffffffffffffn) st.invalid(st.at, "a length that does not fit");
        const start = st.skip(2n * BigInt(n));
        try {
          return utf16.decode(st.data.subarray(start, st.at));
        } catch {
          return st.invalid(start, "invalid UTF-16");
        }
      };
    default: return integer;
  }
}
