/** Schemas as JSON. */
import { fromHex, toHex } from "./bytes.js";
import { AshlarError } from "./errors.js";
import * as s from "./shapes.js";

type Members = Array<[string, string]>;
const object = (m: Members): string => `{${m.map(([k, v]) => `"${k}":${v}`).join(",")}}`;
const array = (xs: string[]): string => `[${xs.join(",")}]`;
const counted = (compact: boolean): Members => (compact ? [["length", '"varint"']] : []);

function leafMembers(l: s.Leaf): Members {
  const out: Members = [["type", `"${l.type}"`]];
  if (l.enc !== "") out.push(["encoding", `"${l.enc}"`]);
  if (l.type === "fixedPoint") out.push(["unitsPerOne", String(l.units)]);
  return [...out, ...counted(l.compact)];
}

function shapeJson(x: s.Shape): string {
  const kind: [string, string] = ["type", `"${x.k}"`];
  switch (x.k) {
    case "leaf": return object(leafMembers(x));
    case "between": return object([...leafMembers(x.leaf), ["from", String(x.low)], ["to", String(x.high)]]);
    case "ratio": case "maybe": case "packed": case "unpacked": return object([kind, ["of", shapeJson(x.of)]]);
    case "tuple": return object([kind, ["of", array(x.of.map(shapeJson))]]);
    case "list": case "nonEmpty": case "set": return object([kind, ...counted(x.compact), ["of", shapeJson(x.of)]]);
    case "map": return object([kind, ...counted(x.compact), ["key", shapeJson(x.key)], ["value", shapeJson(x.value)]]);
    case "array": return object([kind, ["index", shapeJson(x.index)], ["of", shapeJson(x.of)]]);
    case "constant": return object([kind, ["bytes", `"${toHex(x.bytes)}"`]]);
    case "reference": return object([kind, ["to", String(x.to)]]);
    case "opaque": {
      const size: Members = x.size === null ? [] : [["size", String(x.size)]];
      return object([kind, ["name", JSON.stringify(x.name)], ["version", String(x.version)], ...size]);
    }
    case "irregular": return object([kind, ["name", JSON.stringify(x.name)]]);
  }
}

/** A schema as JSON, as `ashlar schema --json` writes it. */
export function termsToJson(root: s.Shape, definitions: readonly s.Definition[]): string {
  const field = (f: s.Field): string => object([["name", JSON.stringify(f.name)], ["shape", shapeJson(f.shape)]]);
  const con = (c: s.Constructor): string => object([
    ["name", JSON.stringify(c.name)], ...(c.retired ? ([["retired", "true"]] as Members) : []), ["fields", array(c.fields.map(field))],
  ]);
  return object([["root", shapeJson(root)], ["definitions", array(definitions.map((d) => object([
    ["name", JSON.stringify(d.name)], ["form", `"${d.form}"`], ["order", `"${d.order}"`], ["constructors", array(d.constructors.map(con))],
  ])))]]);
}

/** JSON in which whole numbers are bigints. Throws an `AshlarError` if it is none. */
function parse(text: string): unknown {
  // Numbers become strings with a mark that no other string has.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (t) =>
    t.startsWith('"') ? `"s${t.slice(1)}` : `"n${t}"`);
  const fix = (x: unknown): unknown => {
    if (typeof x === "string") {
      if (x.startsWith("s")) return x.slice(1);
      if (!/^n-?\d+$/.test(x)) throw new AshlarError("a number that is not whole");
      return BigInt(x.slice(1));
    }
    if (Array.isArray(x)) return x.map(fix);
    if (typeof x !== "object" || x === null) return x;
    return new Map(Object.entries(x).map(([k, v]) => [k.slice(1), fix(v)]));
  };
  try {
    return fix(JSON.parse(marked));
  } catch (e) {
    throw e instanceof AshlarError ? e : new AshlarError("no JSON that can be read");
  }
}

type Json = Map<string, unknown>;
const bad = (what: string): never => { throw new AshlarError(`no schema: ${what}`); };
const asObject = (x: unknown): Json => (x instanceof Map ? x : bad("an object is missing"));
const asArray = (x: unknown): unknown[] => (Array.isArray(x) ? x : bad("an array is missing"));
const asString = (x: unknown): string => (typeof x === "string" ? x : bad("a string is missing"));
const asInt = (x: unknown): bigint => (typeof x === "bigint" ? x : bad("a number is missing"));

const LEAVES = ["unit", ...s.NUMBERS.keys(), "float32", "float64", "bool", "char", "scalarValue", "integer", "natural",
  "fixedPoint", "date", "duration", "bytes", "byteArray", "utf8", "utf16"];

function shapeOf(x: unknown): s.Shape {
  const o = asObject(x);
  const k = asString(o.get("type"));
  const counted = ["list", "nonEmpty", "set", "map", "bytes", "byteArray", "utf8"].includes(k);
  const compact = counted && o.has("length") && (o.get("length") === "varint" || bad("an unknown length"));
  const of = (): s.Shape => shapeOf(o.get("of"));
  switch (k) {
    case "ratio": case "maybe": case "packed": case "unpacked": return { k, of: of() };
    case "tuple": return { k, of: asArray(o.get("of")).map(shapeOf) };
    case "list": case "nonEmpty": case "set": return { k, of: of(), compact };
    case "map": return { k, key: shapeOf(o.get("key")), value: shapeOf(o.get("value")), compact };
    case "array": return { k, index: shapeOf(o.get("index")), of: of() };
    case "constant": return { k, bytes: fromHex(asString(o.get("bytes"))) };
    case "reference": return s.referenceTo(asInt(o.get("to")));
    case "opaque":
      return { k, name: asString(o.get("name")), version: asInt(o.get("version")), size: o.has("size") ? asInt(o.get("size")) : null };
    case "irregular": return { k, name: asString(o.get("name")) };
    default:
  }
  if (!LEAVES.includes(k)) bad(`the unknown type ${s.cut(k)}`);
  const enc = o.has("encoding") ? asString(o.get("encoding")) : "";
  const number = s.NUMBERS.has(k) && ["", "bigEndian", "varint", "zigzag"].includes(enc);
  if (!number && enc !== "" && !(enc === "bigEndian" && k.startsWith("float"))) bad("an unknown encoding");
  const units = k === "fixedPoint" ? asInt(o.get("unitsPerOne")) : 0n;
  const l = s.leaf(k as s.LeafType, enc as s.Encoding, compact, units);
  return o.has("from") || o.has("to") ? { k: "between", low: asInt(o.get("from")), high: asInt(o.get("to")), leaf: l } : l;
}

/** The terms of a schema from its JSON. Throws an `AshlarError` if it is none. */
export function termsFromJson(text: string): [s.Shape, s.Definition[]] {
  const o = asObject(parse(text));
  const oneOf = <T extends string>(x: unknown, all: readonly T[]): T =>
    all.find((w) => w === x) ?? bad("an unknown form or order");
  const definitions = asArray(o.get("definitions")).map(asObject).map((d): s.Definition => ({
    name: asString(d.get("name")),
    form: oneOf(d.get("form"), ["newtype", "record", "sum"] as const),
    order: oneOf(d.get("order"), ["unknown", "byParts"] as const),
    constructors: asArray(d.get("constructors")).map(asObject).map((c) => ({
      name: asString(c.get("name")),
      retired: c.get("retired") === true,
      fields: asArray(c.get("fields")).map(asObject).map((f) => ({ name: asString(f.get("name")), shape: shapeOf(f.get("shape")) })),
    })),
  }));
  return [shapeOf(o.get("root")), definitions];
}
