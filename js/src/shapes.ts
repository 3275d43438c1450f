/** What a schema can say. */

/** The types of leaves. */
export type LeafType =
  | "unit" | "word8" | "word16" | "word32" | "word64" | "int8" | "int16" | "int32" | "int64"
  | "float32" | "float64" | "bool" | "char" | "scalarValue" | "integer" | "natural" | "fixedPoint"
  | "date" | "duration" | "bytes" | "byteArray" | "utf8" | "utf16";

/** How a number is written. */
export type Encoding = "" | "bigEndian" | "varint" | "zigzag";

/** What has no parts. */
export interface Leaf { k: "leaf"; type: LeafType; enc: Encoding; compact: boolean; units: bigint }

/** The format of a type. */
export type Shape =
  | Leaf
  | { k: "between"; low: bigint; high: bigint; leaf: Leaf }
  | { k: "ratio" | "maybe" | "packed" | "unpacked"; of: Shape }
  | { k: "tuple"; of: Shape[] }
  | { k: "list" | "nonEmpty" | "set"; of: Shape; compact: boolean }
  | { k: "map"; key: Shape; value: Shape; compact: boolean }
  | { k: "array"; index: Shape; of: Shape }
  | { k: "constant"; bytes: Uint8Array }
  // (A number that is not exact in `to`, which no definition has, is in `exact`.)
  | { k: "reference"; to: number; exact?: bigint }
  | { k: "opaque"; name: string; version: bigint; size: bigint | null }
  | { k: "irregular"; name: string };

/** A field. Without a name, its position is its name, from `1`. */
export interface Field { name: string; shape: Shape }
/** A constructor. */
export interface Constructor { name: string; retired: boolean; fields: Field[] }
/** A type with constructors. */
export interface Definition {
  name: string; form: "newtype" | "record" | "sum"; order: "unknown" | "byParts"; constructors: Constructor[];
}

/** A leaf of this type. */
export function leaf(type: LeafType, enc: Encoding = "", compact = false, units = 0n): Leaf {
  return { k: "leaf", type, enc, compact, units };
}

/** A reference to a definition. */
export function referenceTo(n: bigint): Shape {
  const to = Number(n);
  return Number.isSafeInteger(to) ? { k: "reference", to } : { k: "reference", to, exact: n };
}

/** The types of numbers: bytes, least and greatest number. */
export const NUMBERS: ReadonlyMap<string, readonly [number, bigint, bigint]> = new Map(
  [8, 16, 32, 64].flatMap((n): Array<[string, [number, bigint, bigint]]> => {
    const half = 1n << BigInt(n - 1);
    return [[`word${n}`, [n / 8, 0n, 2n * half - 1n]], [`int${n}`, [n / 8, -half, half - 1n]]];
  }),
);

/** Does it stand for whole numbers? */
export function isWhole(l: Leaf): boolean {
  return NUMBERS.has(l.type) || ["integer", "natural", "fixedPoint", "date", "duration"].includes(l.type);
}

/** Are its values numbers, and not bigints? */
export function isSmall(l: Leaf): boolean {
  const n = NUMBERS.get(l.type);
  return n !== undefined && n[0] <= 4;
}

/** How a leaf is written in a packed value. (That of a Boolean is a symbol.) */
export function packedLeaf(l: Leaf): Leaf {
  const n = NUMBERS.get(l.type);
  if (n !== undefined && l.enc === "" && n[0] > 1) return { ...l, enc: n[1] < 0n ? "zigzag" : "varint" };
  if (l.type === "char" || l.type === "scalarValue") return { ...l, enc: "varint" };
  return l.type === "bytes" || l.type === "byteArray" || l.type === "utf8" ? { ...l, compact: true } : l;
}

/** A shape in whatever format it is: packed or not. */
export function inAnyFormat(s: Shape): Shape {
  while (s.k === "packed" || s.k === "unpacked") s = s.of;
  return s;
}

/** The bits of the shorter codes for symbols of so many, and how many symbols have such a code: truncated binary. */
export function shorterCodes(count: number): [number, number] {
  const bits = 31 - Math.clz32(count);
  return [bits, 2 ** (bits + 1) - count];
}

/** The shapes directly inside of a shape. */
export function children(s: Shape): Shape[] {
  switch (s.k) {
    case "ratio": case "maybe": case "packed": case "unpacked": case "list": case "nonEmpty": case "set": return [s.of];
    case "tuple": return s.of;
    case "map": return [s.key, s.value];
    case "array": return [s.index, s.of];
    default: return [];
  }
}

/** A shape with other shapes directly inside. */
export function mapShapes(f: (s: Shape) => Shape, s: Shape): Shape {
  switch (s.k) {
    case "ratio": case "maybe": case "packed": case "unpacked": case "list": case "nonEmpty": case "set": return { ...s, of: f(s.of) };
    case "tuple": return { ...s, of: s.of.map(f) };
    case "map": return { ...s, key: f(s.key), value: f(s.value) };
    case "array": return { ...s, index: f(s.index), of: f(s.of) };
    default: return s;
  }
}

/** A definition with other shapes of fields. */
export function overShapes(f: (s: Shape) => Shape, d: Definition): Definition {
  return { ...d, constructors: d.constructors.map((c) => ({ ...c, fields: c.fields.map((x) => ({ ...x, shape: f(x.shape) })) })) };
}

/** The shape of the same values in the plain format: nothing in it is packed. */
export function plainShape(s: Shape): Shape {
  return mapShapes(plainShape, inAnyFormat(s));
}

/** The definitions that a shape refers to. */
export function references(s: Shape): number[] {
  return s.k === "reference" ? [s.to] : children(s).flatMap(references);
}

/** The shapes of all fields of a definition. */
export function fieldShapes(d: Definition): Shape[] {
  return d.constructors.flatMap((c) => c.fields.map((f) => f.shape));
}

/** Have the fields no names? Not if there are none. */
export function isPositional(c: Constructor): boolean {
  return c.fields.length > 0 && c.fields.every((f, i) => f.name === String(i + 1));
}

/** Has a text a surrogate that is not one of a pair? */
export function hasSurrogate(text: string): boolean {
  return /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

/** The first 100 characters of a name: those of an untrusted schema may be long. */
export function cut(name: string): string {
  return name.length <= 100 ? name : [...name.slice(0, 200)].slice(0, 100).join("");
}

/** The bytes of a tag, given the number of constructors. */
export function tagSize(count: number): number {
  return count === 0 ? 0 : count <= 256 ? 1 : 2;
}
