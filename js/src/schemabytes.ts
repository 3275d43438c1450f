/** The bytes of schemas, and which of them no type has. */
import { concat, plain, Sink } from "./bytes.js";
import { AshlarError } from "./errors.js";
import { Exact } from "./exact.js";
import { Facts } from "./facts.js";
import * as s from "./shapes.js";
import { State } from "./state.js";
import { Tagged } from "./values.js";

const MOST_NESTED = 100;
const NUMBERS = ["word8", "word16", "word32", "word64", "int8", "int16", "int32", "int64"];
const NUMBER_NAMES = ["W8", "W16", "W32", "W64", "I8", "I16", "I32", "I64"];
const ENCODINGS = ["", "bigEndian", "varint", "zigzag"];
const SHAPES = ["leaf", "between", "ratio", "maybe", "tuple", "list", "nonEmpty", "set", "map",
  "array", "constant", "reference", "opaque", "irregular", "packed", "unpacked"];
const FORMS = ["newtype", "record", "sum"];
const SIMPLE: ReadonlyArray<readonly [number, string, s.Leaf]> = [
  [0, "Unit", s.leaf("unit")], [5, "Float32", s.leaf("float32")], [6, "Float64", s.leaf("float64")],
  [7, "Float32BE", s.leaf("float32", "bigEndian")], [8, "Float64BE", s.leaf("float64", "bigEndian")],
  [9, "Boolean", s.leaf("bool")], [10, "Character", s.leaf("char")], [11, "ScalarCharacter", s.leaf("scalarValue")],
  [12, "BigInteger", s.leaf("integer")], [13, "BigNatural", s.leaf("natural")],
  [15, "Date", s.leaf("date")], [16, "Duration", s.leaf("duration")], [20, "Utf16", s.leaf("utf16")],
];

function putLeaf(out: Sink, l: s.Leaf): void {
  const n = NUMBERS.indexOf(l.type);
  if (n >= 0) { out.u8(1 + ENCODINGS.indexOf(l.enc)); out.u8(n); return; }
  const simple = SIMPLE.find(([, , x]) => x.type === l.type && x.enc === l.enc);
  if (simple !== undefined) { out.u8(simple[0]); return; }
  if (l.type === "fixedPoint") { out.u8(14); out.integer(l.units, false); return; }
  out.u8(17 + ["bytes", "byteArray", "utf8"].indexOf(l.type));
  out.u8(Number(l.compact));
}

/** Writes a shape without those inside. */
function putOuter(out: Sink, x: s.Shape): void {
  out.u8(SHAPES.indexOf(x.k));
  switch (x.k) {
    case "leaf": putLeaf(out, x); break;
    case "between": out.integer(x.low, true); out.integer(x.high, true); putLeaf(out, x.leaf); break;
    case "tuple": out.count(x.of.length, false); break;
    case "list": case "nonEmpty": case "set": case "map": out.u8(Number(x.compact)); break;
    case "constant": out.count(x.bytes.length, false); out.bytes(x.bytes); break;
    case "reference": out.u64(BigInt(x.to)); break;
    case "opaque":
      out.text(x.name, false);
      out.u64(x.version);
      out.u8(Number(x.size !== null));
      if (x.size !== null) out.u64(x.size);
      break;
    case "irregular": out.text(x.name, false); break;
    default:
  }
}

/** Writes what is around the shapes of a schema, and gives each where its bytes belong. */
function* aroundShapes(out: Sink, root: s.Shape, definitions: readonly s.Definition[]): Generator<s.Shape> {
  yield root;
  out.count(definitions.length, false);
  for (const d of definitions) {
    out.text(d.name, false);
    out.u8(FORMS.indexOf(d.form));
    out.u8(Number(d.order === "byParts"));
    out.count(d.constructors.length, false);
    for (const c of d.constructors) {
      out.text(c.name, false);
      out.u8(Number(c.retired));
      out.count(c.fields.length, false);
      for (const f of c.fields) { out.text(f.name, false); yield f.shape; }
    }
  }
}

/** What stands for a reference: another one, or a shape without newtypes. */
export type Meaning = (to: number) => s.Shape;

const itself: Meaning = (to) => ({ k: "reference", to });

/** The bytes of a schema, in parts: a part ends with the shape that makes it 64 KiB. */
export function* encodedParts(root: s.Shape, definitions: readonly s.Definition[], meaning = itself): Generator<Uint8Array> {
  const out = new Sink();
  for (const shape of aroundShapes(out, root, definitions)) {
    const work = [shape];
    for (let x = work.pop(); x !== undefined; x = work.pop()) {
      const y = x.k === "reference" ? meaning(x.to) : x;
      putOuter(out, y);
      const inner = s.children(y);
      for (let i = inner.length - 1; i >= 0; i--) work.push(inner[i] as s.Shape);
      if (out.length >= 65536) { yield out.slice(); out.truncate(0); }
    }
  }
  yield out.slice();
}

/** How many bytes a schema has, without making them: linear, though shapes that references stand for are in many places. */
export function encodedSize(root: s.Shape, definitions: readonly s.Definition[], meaning: Meaning): number {
  const outer = new Sink();
  const known = new Map<s.Shape, number>();
  const sizeOf = (x: s.Shape): number => {
    const y = x.k === "reference" ? meaning(x.to) : x;
    const before = known.get(y);
    if (before !== undefined) return before;
    outer.truncate(0);
    putOuter(outer, y);
    const n = s.children(y).reduce((sum, c) => sum + sizeOf(c), outer.length);
    known.set(y, n);
    return n;
  };
  const out = new Sink();
  let n = 0;
  for (const shape of aroundShapes(out, root, definitions)) {
    n += out.length + sizeOf(shape);
    out.truncate(0);
  }
  return n + out.length;
}

/** The bytes of a schema. */
export function encodeTerms(root: s.Shape, definitions: readonly s.Definition[]): Uint8Array {
  return concat([...encodedParts(root, definitions)]);
}

// The types of a schema, by which schemas are read. "Name" is a sum: constructors, and the types of their fields.
const TYPES: Record<string, string[]> = {
  Shape: [
    "Leaf Leaf", "Between integer integer Leaf", "Ratio Shape", "Optional Shape", "Tuple [Shape]",
    "List Length Shape", "NonEmpty Length Shape", "Set Length Shape", "Map Length Shape Shape", "Array Shape Shape",
    "Constant bytes", "Reference int64", "Opaque utf8 int64 ?int64", "Irregular utf8", "Packed Shape",
    "Unpacked Shape",
  ],
  Leaf: [
    "Unit", "Number Number", "BigEndian Number", "Varint Number", "Zigzag Number", "Float32", "Float64", "Float32BE",
    "Float64BE", "Boolean", "Character", "ScalarCharacter", "BigInteger", "BigNatural", "FixedPoint natural", "Date",
    "Duration", "Bytes Length", "ByteArray Length", "Utf8 Length", "Utf16",
  ],
  Number: NUMBER_NAMES,
  Length: ["Length64", "LengthVarint"],
  Form: ["Newtype", "Record", "Sum"],
  ValueOrder: ["Unordered", "ByParts"],
  Schema: ["schemaRoot Shape", "schemaDefinitions [Definition]"],
  Definition: ["definitionName utf8", "definitionForm Form", "definitionOrder ValueOrder", "definitionConstructors [Constructor]"],
  Constructor: ["constructorName utf8", "constructorRetired bool", "constructorFields [Field]"],
  Field: ["fieldName utf8", "fieldShape Shape"],
};
const RECORDS = ["Schema", "Definition", "Constructor", "Field"];

function typeOf(name: string): s.Shape {
  if (name.startsWith("[")) return { k: "list", of: typeOf(name.slice(1, -1)), compact: false };
  if (name.startsWith("?")) return { k: "maybe", of: typeOf(name.slice(1)) };
  const to = Object.keys(TYPES).indexOf(name);
  return to >= 0 ? { k: "reference", to } : s.leaf(name as s.LeafType);
}

function reader(): Exact {
  const definitions = Object.entries(TYPES).map(([name, lines]): s.Definition => {
    const words = lines.map((l) => l.split(" "));
    if (RECORDS.includes(name)) {
      const fields = words.map(([n, t]) => ({ name: n as string, shape: typeOf(t as string) }));
      return { name, form: "record", order: "unknown", constructors: [{ name, retired: false, fields }] };
    }
    const constructors = words.map(([n, ...types]) => ({
      name: n as string, retired: false, fields: types.map((t, i) => ({ name: String(i + 1), shape: typeOf(t) })),
    }));
    return { name, form: "sum", order: "unknown", constructors };
  });
  return new Exact(typeOf("Schema"), new Facts(definitions), true);
}

let made: Exact | undefined;

function leafOf(v: Tagged): s.Leaf {
  const simple = SIMPLE.find(([, name]) => name === v.tag);
  if (simple !== undefined) return simple[2];
  const part = (v.value as unknown[])[0];
  if (v.tag === "FixedPoint") return s.leaf("fixedPoint", "", false, part as bigint);
  const tag = (part as Tagged).tag;
  const strings: Record<string, s.LeafType> = { Bytes: "bytes", ByteArray: "byteArray", Utf8: "utf8" };
  const string = strings[v.tag];
  if (string !== undefined) return s.leaf(string, "", tag === "LengthVarint");
  const enc = ENCODINGS[["Number", "BigEndian", "Varint", "Zigzag"].indexOf(v.tag)] as s.Encoding;
  return s.leaf(NUMBERS[NUMBER_NAMES.indexOf(tag)] as s.LeafType, enc);
}

function shapeOf(v: Tagged, depth: number): s.Shape {
  // What is nested too deep is refused, so it does not matter what it is.
  if (depth > MOST_NESTED) return s.leaf("unit");
  const p = v.value as unknown[];
  const inner = (i: number): s.Shape => shapeOf(p[i] as Tagged, depth + 1);
  const compact = (p[0] as Tagged).tag === "LengthVarint";
  switch (v.tag) {
    case "Leaf": return leafOf(p[0] as Tagged);
    case "Between": return { k: "between", low: p[0] as bigint, high: p[1] as bigint, leaf: leafOf(p[2] as Tagged) };
    case "Ratio": return { k: "ratio", of: inner(0) };
    case "Optional": return { k: "maybe", of: inner(0) };
    case "Tuple": return { k: "tuple", of: (p[0] as Tagged[]).map((x) => shapeOf(x, depth + 1)) };
    case "List": return { k: "list", of: inner(1), compact };
    case "NonEmpty": return { k: "nonEmpty", of: inner(1), compact };
    case "Set": return { k: "set", of: inner(1), compact };
    case "Map": return { k: "map", key: inner(1), value: inner(2), compact };
    case "Array": return { k: "array", index: inner(0), of: inner(1) };
    case "Constant": return { k: "constant", bytes: p[0] as Uint8Array };
    case "Reference": return s.referenceTo(p[0] as bigint);
    case "Opaque": return { k: "opaque", name: p[0] as string, version: p[1] as bigint, size: p[2] as bigint | null };
    case "Packed": return { k: "packed", of: inner(0) };
    case "Unpacked": return { k: "unpacked", of: inner(0) };
    default: return { k: "irregular", name: p[0] as string };
  }
}

/**
 * What is made of the terms of a schema, given all of its bytes. Throws a `DecodeError` for others, and for terms of which
 * an `AshlarError` is made.
 */
export function decodeTerms<T>(data: Uint8Array, make: (root: s.Shape, definitions: s.Definition[]) => T): T {
  made = made ?? reader();
  const st = new State(plain(data), 0, data.length);
  const v = made.read(st) as Record<string, unknown>;
  const definitions = (v["schemaDefinitions"] as Array<Record<string, unknown>>).map((d): s.Definition => ({
    name: d["definitionName"] as string,
    form: (d["definitionForm"] as Tagged).tag.toLowerCase() as s.Definition["form"],
    order: (d["definitionOrder"] as Tagged).tag === "ByParts" ? "byParts" : "unknown",
    constructors: (d["definitionConstructors"] as Array<Record<string, unknown>>).map((c) => ({
      name: c["constructorName"] as string,
      retired: c["constructorRetired"] as boolean,
      fields: (c["constructorFields"] as Array<Record<string, unknown>>).map((f) => ({
        name: f["fieldName"] as string, shape: shapeOf(f["fieldShape"] as Tagged, 0),
      })),
    })),
  }));
  const root = shapeOf(v["schemaRoot"] as Tagged, 0);
  let found: T;
  try {
    found = make(root, definitions);
  } catch (e) {
    if (e instanceof AshlarError) st.invalid(0, e.message);
    throw e;
  }
  st.expectEnd();
  return found;
}

/** Why no type has this schema, or `null` if one may have it. */
export function checkTerms(root: s.Shape, definitions: readonly s.Definition[]): string | null {
  let problem = checkNames(definitions) ?? checkShape("the root", root);
  for (const d of definitions) problem = problem ?? checkDefinition(d);
  return problem ?? checkOrder(root, definitions) ?? checkIndices(root, definitions);
}

/** Names are written in UTF-8. */
function checkNames(definitions: readonly s.Definition[]): string | null {
  const names = (d: s.Definition): string[] => [d.name, ...d.constructors.flatMap((c) => [c.name, ...c.fields.map((f) => f.name)])];
  const i = definitions.findIndex((d) => names(d).some(s.hasSurrogate));
  return i < 0 ? null : `definition ${i}: a name with a surrogate`;
}

function checkOrder(root: s.Shape, definitions: readonly s.Definition[]): string | null {
  let seen = 0;
  const work = [root];
  for (let x = work.pop(); x !== undefined; x = work.pop()) {
    let inner = s.children(x);
    if (x.k === "reference") {
      const d = definitions[x.to];
      if (d === undefined) return `a reference to definition ${x.exact ?? x.to}`;
      if (x.to > seen) return "definitions that are not in the order of the first visit";
      if (x.to === seen) { seen++; inner = s.fieldShapes(d); }
    }
    for (let i = inner.length - 1; i >= 0; i--) work.push(inner[i] as s.Shape);
  }
  return seen === definitions.length ? null : "a definition that nothing refers to";
}

/** An array has two indices, so the work for arrays within the indices of others would double with each. */
function checkIndices(root: s.Shape, definitions: readonly s.Definition[]): string | null {
  const work = [root, ...definitions.flatMap(s.fieldShapes)];
  const inside: s.Shape[] = [];
  for (let x = work.pop(); x !== undefined; x = work.pop()) {
    if (x.k === "array") { inside.push(x.index); work.push(x.of); } else for (const y of s.children(x)) work.push(y);
  }
  const seen = new Set<number>();
  for (let x = inside.pop(); x !== undefined; x = inside.pop()) {
    if (x.k === "array") return "an array within the index of an array";
    if (x.k === "reference" && seen.has(x.to)) continue;
    if (x.k === "reference") seen.add(x.to);
    for (const y of x.k === "reference" ? s.fieldShapes(definitions[x.to] as s.Definition) : s.children(x)) inside.push(y);
  }
  return null;
}

function checkDefinition(d: s.Definition): string | null {
  const name = s.cut(d.name);
  const one = d.constructors.length === 1 ? d.constructors[0] : undefined;
  const whole = one !== undefined && !one.retired;
  const distinct = (names: string[]): boolean => new Set(names).size === names.length;
  if (d.form === "newtype" && !(whole && one?.fields.length === 1)) return `${name}: a newtype without its one field`;
  if (d.form === "record" && !whole) return `${name}: a record without its one constructor`;
  if (d.form === "sum" && d.constructors.length > 65536) return `${name}: too many constructors`;
  if (!distinct(d.constructors.map((c) => c.name))) return `${name}: two constructors with one name`;
  for (const c of d.constructors) {
    if (c.retired && c.fields.length > 0) return `${name}: a retired constructor with fields`;
    if (!distinct(c.fields.map((f) => f.name))) return `${name}: ${s.cut(c.name)}: two fields with one name`;
    for (const f of c.fields) {
      const problem = checkShape(`${name}.${s.cut(f.name)}`, f.shape);
      if (problem !== null) return problem;
    }
  }
  return null;
}

function checkShape(place: string, shape: s.Shape): string | null {
  const work: Array<[number, s.Shape]> = [[MOST_NESTED, shape]];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const [left, x] = item;
    const problem = left <= 0 ? `shapes nested more than ${MOST_NESTED} deep` : checkOne(x);
    if (problem !== null) return `${place}: ${problem}`;
    const inner = s.children(x);
    for (let i = inner.length - 1; i >= 0; i--) work.push([left - 1, inner[i] as s.Shape]);
  }
  return null;
}

const fits = (n: bigint): boolean => BigInt.asIntN(64, n) === n;

function checkOne(x: s.Shape): string | null {
  switch (x.k) {
    case "leaf": return x.units < 0n ? "a negative number of units" : null;
    case "tuple": return x.of.length < 2 ? "a tuple of fewer than two values" : null;
    case "between":
      if (!s.isWhole(x.leaf)) return "bounds of what is no whole number";
      if (x.leaf.units < 0n) return "a negative number of units";
      return x.low > x.high ? "bounds that enclose no number" : null;
    case "ratio":
      return x.of.k === "between" || (x.of.k === "leaf" && s.isWhole(x.of)) ? null : "a fraction of what are no whole numbers";
    case "opaque":
      if (s.hasSurrogate(x.name)) return "a name with a surrogate";
      if (!fits(x.version) || (x.size !== null && !fits(x.size))) return "a number that does not fit 64 bits";
      return x.size !== null && x.size < 0n ? "a negative size" : null;
    case "irregular": return s.hasSurrogate(x.name) ? "a name with a surrogate" : null;
    default: return null;
  }
}
