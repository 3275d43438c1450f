/** How values look, and their order. */
import { Facts } from "./facts.js";
import { Constructor, Definition, fieldShapes, isPositional, Shape } from "./shapes.js";

/** A value of a sum. */
export interface Tagged { tag: string; value?: unknown }
/** A fraction. */
export interface Ratio { numerator: number | bigint; denominator: number | bigint }
/** An array with its bounds. */
export interface Indexed { from: unknown; to: unknown; elements: unknown[] }

/** Set a property, whatever its name is. */
export function setOwn(o: object, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(o, name, { value, enumerable: true, configurable: true, writable: true });
  } else (o as Record<string, unknown>)[name] = value;
}

/** Makes the fields of a constructor from their values. */
export function recordMaker(c: Constructor): (values: unknown[]) => unknown {
  if (isPositional(c)) return (values) => values;
  const names = c.fields.map((f) => f.name);
  return (values) => {
    const o = {};
    names.forEach((name, i) => setOwn(o, name, values[i]));
    return o;
  };
}

/** Makes a value of a sum from the fields of its constructor. */
export function taggedMaker(c: Constructor): (values: unknown[]) => unknown {
  if (c.fields.length === 0) return () => ({ tag: c.name });
  const record = recordMaker(c);
  return (values) => ({ tag: c.name, value: record(values) });
}

/** The values of the fields of a constructor. `undefined` if one is missing, or there are others. */
export function fieldsOf(c: Constructor, value: unknown): unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return isPositional(c) && value.length === c.fields.length ? value : undefined;
  if (isPositional(c) || Object.keys(value).length > c.fields.length) return undefined;
  const out: unknown[] = [];
  for (const f of c.fields) {
    if (!Object.prototype.hasOwnProperty.call(value, f.name)) return undefined;
    out.push((value as Record<string, unknown>)[f.name]);
  }
  return out;
}

const tables = new WeakMap<Definition, Map<string, number>>();

/** The number of a value's constructor, and the values of its fields. `undefined` if it is none of the definition. */
export function takeApart(d: Definition, value: unknown): [number, unknown[]] | undefined {
  if (d.form !== "sum") {
    const fields = fieldsOf(d.constructors[0] as Constructor, value);
    return fields === undefined ? undefined : [0, fields];
  }
  if (typeof value !== "object" || value === null) return undefined;
  let table = tables.get(d);
  if (table === undefined) {
    table = new Map(d.constructors.map((c, i) => [c.name, i]));
    tables.set(d, table);
  }
  const v = value as Tagged;
  const i = typeof v.tag === "string" ? table.get(v.tag) : undefined;
  if (i === undefined) return undefined;
  const c = d.constructors[i] as Constructor;
  if (c.retired || !Object.keys(v).every((k) => k === "tag" || k === "value")) return undefined;
  const fields = c.fields.length > 0 ? fieldsOf(c, v.value) : v.value === undefined ? [] : undefined;
  return fields === undefined ? undefined : [i, fields];
}

/**
 * The greatest number that divides both. Lehmer's algorithm (Knuth, The Art of Computer Programming, 4.5.2, L): the first
 * 52 bits tell the next quotients of Euclid's, so some 26 bits go in each step over the whole numbers.
 */
export function gcd(a: bigint, b: bigint): bigint {
  a = a < 0n ? -a : a;
  b = b < 0n ? -b : b;
  if (a < b) [a, b] = [b, a];
  let bits = a.toString(16).length * 4;
  while (b >> 64n > 0n) {
    // Of a there are bits at most, and 48 of the first 52 at least.
    let x = Number(a >> BigInt(bits - 52));
    while (x < 2 ** 47) {
      bits -= x === 0 ? 47 : 51 - Math.floor(Math.log2(x));
      x = Number(a >> BigInt(bits - 52));
    }
    let y = Number(b >> BigInt(bits - 52));
    let [m00, m01, m10, m11] = [1, 0, 0, 1];
    while (y + m10 !== 0 && y + m11 !== 0) {
      const q = Math.floor((x + m00) / (y + m10));
      if (q !== Math.floor((x + m01) / (y + m11))) break;
      [m00, m10, m01, m11, x, y] = [m10, m00 - q * m10, m11, m01 - q * m11, y, x - q * y];
    }
    if (m01 === 0) [a, b] = [b, a % b];
    else [a, b] = [BigInt(m00) * a + BigInt(m01) * b, BigInt(m10) * a + BigInt(m11) * b];
  }
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

const order = (x: number | bigint | string | boolean, y: typeof x): number => (x < y ? -1 : x == y ? 0 : 1);

/** The order of texts by code point. (That of JavaScript is by UTF-16 unit.) */
export function compareText(x: string, y: string): number {
  const n = Math.min(x.length, y.length);
  for (let i = 0; i < n; i++) {
    let a = x.charCodeAt(i);
    let b = y.charCodeAt(i);
    if (a !== b) {
      // Surrogates stand for what is above all other units.
      if (a >= 0xd800 && b >= 0xd800) {
        a = (a >= 0xe000 ? a - 0x800 : a + 0x2000);
        b = (b >= 0xe000 ? b - 0x800 : b + 0x2000);
      }
      return a - b;
    }
  }
  return x.length - y.length;
}

function compareBytes(x: Uint8Array, y: Uint8Array): number {
  const n = Math.min(x.length, y.length);
  for (let i = 0; i < n; i++) {
    const c = (x[i] as number) - (y[i] as number);
    if (c !== 0) return c;
  }
  return x.length - y.length;
}

type Work = Array<[Shape | null, unknown, unknown]>;

const elements = (x: unknown): readonly unknown[] => (x instanceof Map || x instanceof Set ? [...x] : x as unknown[]);

function lexical(shapes: readonly Shape[], x: unknown, y: unknown, work: Work): void {
  const xs = elements(x);
  const ys = elements(y);
  work.push([null, xs.length, ys.length]);
  for (let i = Math.min(xs.length, ys.length) - 1; i >= 0; i--) {
    work.push([shapes[shapes.length === 1 ? 0 : i] as Shape, xs[i], ys[i]]);
  }
}

function step(facts: Facts, s: Shape, x: unknown, y: unknown, work: Work): number {
  switch (s.k) {
    case "leaf":
      switch (s.type) {
        case "utf8": case "utf16": return compareText(x as string, y as string);
        case "char": case "scalarValue":
          return ((x as string).codePointAt(0) as number) - ((y as string).codePointAt(0) as number);
        case "unit": return 0;
        case "byteArray":
          return (x as Uint8Array).length - (y as Uint8Array).length || compareBytes(x as Uint8Array, y as Uint8Array);
        case "bytes": return compareBytes(x as Uint8Array, y as Uint8Array);
        case "float32": return order(Math.fround(x as number), Math.fround(y as number));
        default: return order(x as number, y as number);
      }
    case "between": return order(x as number, y as number);
    case "ratio": {
      const a = x as Ratio;
      const b = y as Ratio;
      return order(BigInt(a.numerator) * BigInt(b.denominator), BigInt(b.numerator) * BigInt(a.denominator));
    }
    case "maybe": {
      const some = (v: unknown): boolean => v !== null && v !== undefined;
      if (!some(x) || !some(y)) return Number(some(x)) - Number(some(y));
      const wraps = facts.mayBeNull(s.of);
      work.push(wraps ? [s.of, (x as { just: unknown }).just, (y as { just: unknown }).just] : [s.of, x, y]);
      return 0;
    }
    case "tuple": lexical(s.of, x, y, work); return 0;
    case "list": case "nonEmpty": case "set": lexical([s.of], x, y, work); return 0;
    case "map": {
      const pair: Shape = { k: "tuple", of: [s.key, s.value] };
      lexical([pair], x, y, work);
      return 0;
    }
    case "reference": {
      const d = facts.definitions[s.to] as Definition;
      if (d.form === "newtype") { work.push([fieldShapes(d)[0] as Shape, x, y]); return 0; }
      const a = takeApart(d, x);
      const b = takeApart(d, y);
      if (a === undefined || b === undefined) return 0;
      if (a[0] !== b[0]) return a[0] - b[0];
      const shapes = (d.constructors[a[0]] as Constructor).fields.map((f) => f.shape);
      lexical(shapes, a[1], b[1], work);
      return 0;
    }
    case "packed": case "unpacked": work.push([s.of, x, y]); return 0;
    case "constant": case "opaque": return compareBytes(x as Uint8Array, y as Uint8Array);
    default: return 0;
  }
}

/** Less than, equal to or greater than 0: the order of two values of a shape. A NaN is greater than all, and than itself. */
export function compare(facts: Facts, shape: Shape, a: unknown, b: unknown): number {
  const work: Work = [[shape, a, b]];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const [s, x, y] = item;
    const found = s === null ? (x as number) - (y as number) : step(facts, s, x, y, work);
    if (found !== 0) return found;
  }
  return 0;
}

/** How many indices there are between two bounds of a plain shape. Beyond 2^64 it may be less. */
export function indicesBetween(s: Shape, low: unknown, high: unknown): bigint {
  if (s.k === "tuple") {
    const sizes = s.of.map((x, i) => indicesBetween(x, (low as unknown[])[i], (high as unknown[])[i]));
    if (sizes.includes(0n)) return 0n;
    return sizes.reduce((n, m) => (n * m > 1n << 64n ? 1n << 64n : n * m), 1n);
  }
  if (s.k === "leaf" && s.type === "unit") return 1n;
  const number = (x: unknown): bigint => BigInt(typeof x === "string" ? (x.codePointAt(0) as number) : (x as number));
  const n = number(high) - number(low) + 1n;
  return n < 0n ? 0n : n;
}
