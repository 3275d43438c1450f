/** Writing values: as bytes, and as JSON. Values may be nested deep: both keep their own stack. */
import { Bits, sameBytes, Sink, toHex } from "./bytes.js";
import { EncodeError } from "./errors.js";
import { Facts, isOrdered, isPlain } from "./facts.js";
import {
  Constructor, cut, Definition, fieldShapes, hasSurrogate, isPositional, isSmall, isWhole, Leaf, NUMBERS, packedLeaf, Shape,
} from "./shapes.js";
import { LEVELS, RAISABLE } from "./state.js";
import { fraction, leafText, quoted } from "./text.js";
import { compare, gcd, Indexed, indicesBetween, Ratio, takeApart } from "./values.js";

function refuse(what: string, value: unknown): never {
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  throw new EncodeError(`${what} is needed, not ${kind}`);
}

function wholeOf(l: Leaf, value: unknown): bigint {
  const small = isSmall(l);
  if (small ? typeof value !== "number" || !Number.isInteger(value) : typeof value !== "bigint") {
    if (!(typeof value === "bigint" || Number.isSafeInteger(value))) refuse(`a ${small ? "whole number" : "bigint"} (${l.type})`, value);
  }
  const n = BigInt(value as bigint);
  const range = NUMBERS.get(l.type);
  if ((range !== undefined && (n < range[1] || n > range[2])) || (l.type === "natural" && n < 0n)) {
    throw new EncodeError(`${n} does not fit ${l.type}`);
  }
  return n;
}

/** A whole number of a shape of such numbers. */
function boundedOf(s: Shape, value: unknown): bigint {
  if (s.k !== "between") return wholeOf(s as Leaf, value);
  const n = wholeOf(s.leaf, value);
  if (n < s.low || n > s.high) throw new EncodeError(`${n} is not from ${s.low} to ${s.high}`);
  return n;
}

/** An object with these properties only. */
function objectOf(value: unknown, ...names: string[]): object {
  const fits = typeof value === "object" && value !== null && Object.keys(value).length <= names.length
    && names.every((n) => Object.prototype.hasOwnProperty.call(value, n));
  return fits ? value as object : refuse(`an object with ${names.join(" and ")} only`, value);
}

/** The value in an optional one, which is an object if the value may be `null`, too. */
function justOf(facts: Facts, of: Shape, value: unknown): unknown {
  return facts.mayBeNull(of) ? (objectOf(value, "just") as { just: unknown }).just : value;
}

/** The number of a value's constructor, and its fields. */
function constructorOf(d: Definition, value: unknown): [number, unknown[]] {
  const found = takeApart(d, value);
  if (found === undefined) {
    const said = differing(d, value);
    if (said !== "") throw new EncodeError(`a value of ${cut(d.name)} is needed, not an object ${said}`);
    return refuse(`a value of ${cut(d.name)}`, value);
  }
  return found;
}

// The fields that an object for a record lacks, or has too many of.
function differing(d: Definition, value: unknown): string {
  if (d.form !== "record" || typeof value !== "object" || value === null || Array.isArray(value)) return "";
  const names = (d.constructors[0] as Constructor).fields.map((f) => f.name);
  const own = Object.keys(value);
  const missing = names.filter((n) => !own.includes(n));
  const extra = own.filter((n) => !names.includes(n));
  const parts = [missing.length > 0 ? `without ${missing.join(", ")}` : "", extra.length > 0 ? `with ${extra.join(", ")}` : ""];
  return parts.filter((p) => p !== "").join(" and ").slice(0, 200);
}

/** Write a whole number. */
export function putWhole(out: Sink, l: Leaf, n: bigint): void {
  const range = NUMBERS.get(l.type);
  if (range === undefined) { out.integer(n, l.type !== "natural"); return; }
  if (l.enc === "varint") { out.varint(n); return; }
  if (l.enc === "zigzag") { out.varint(2n * n ^ (BigInt.asIntN(64, n) < 0n ? -1n : 0n)); return; }
  const le = l.enc !== "bigEndian";
  if (range[0] === 8) out.u64(n, le);
  else if (range[0] === 4) out.u32(Number(n) >>> 0, le);
  else if (range[0] === 2) out.u16(Number(n) & 0xffff, le);
  else out.u8(Number(n) & 0xff);
}

function putLeaf(out: Sink, l: Leaf, value: unknown, bits: Bits | null): void {
  if (bits !== null) l = packedLeaf(l);
  if (isWhole(l)) { putWhole(out, l, wholeOf(l, value)); return; }
  const le = l.enc !== "bigEndian";
  switch (l.type) {
    case "unit":
      if (!Array.isArray(value) || value.length > 0) refuse("an empty array", value);
      return;
    case "bool":
      if (typeof value !== "boolean") refuse("a boolean", value);
      putTag(out, 2, Number(value), bits);
      return;
    case "float32": case "float64":
      if (typeof value !== "number") refuse("a number", value);
      if (l.type === "float32" && Number.isFinite(value) && !Number.isFinite(Math.fround(value))) {
        throw new EncodeError(`${value} does not fit float32`);
      }
      if (l.type === "float32") out.f32(value, le); else out.f64(value, le);
      return;
    case "bytes": case "byteArray":
      if (!(value instanceof Uint8Array)) refuse("a Uint8Array", value);
      out.count(value.length, l.compact);
      out.bytes(value);
      return;
    default:
  }
  if (typeof value !== "string") refuse("a string", value);
  if (l.type !== "char" && hasSurrogate(value)) throw new EncodeError("a text with an unpaired surrogate");
  if (l.type === "utf8") { out.text(value, l.compact); return; }
  if (l.type === "utf16") {
    out.count(value.length, false);
    for (let i = 0; i < value.length; i++) out.u16(value.charCodeAt(i));
    return;
  }
  const c = value.codePointAt(0);
  if (c === undefined || String.fromCodePoint(c) !== value) throw new EncodeError("a string of one character is needed");
  if (l.enc === "varint") out.varint(BigInt(c)); else out.u32(c);
}

/** Write the number of one of so many constructors. */
function putTag(out: Sink, count: number, i: number, bits: Bits | null): void {
  if (bits !== null) out.symbol(bits, count, i);
  else if (count > 256) out.u16(i);
  else out.u8(i);
}

function elementsOf(value: unknown): unknown[] {
  if (value instanceof Map || value instanceof Set) return [...value];
  if (!Array.isArray(value)) refuse("an array", value);
  return value as unknown[];
}

function ascending(facts: Facts, s: Shape, keys: unknown[]): void {
  if (!isOrdered(facts.unordered, s)) return;
  for (let i = 1; i < keys.length; i++) {
    let found = -1;
    // (Writing the keys says what is wrong with them.)
    try { found = compare(facts, s, keys[i - 1], keys[i]); } catch { /* It is none of the shape. */ }
    if (found >= 0) throw new EncodeError("keys that do not ascend");
  }
}

// A shape, a value, the bits of the packed value that it is a part of, how many values are around it, and where it is if
// that is asked for.
type Work = Array<[Shape, unknown, Bits | null, number, Path?]>;
// A label after those around it.
type Path = [Path | null, string];

function pathText(path: Path | null): string {
  const labels: string[] = [];
  for (let p = path; p !== null; p = p[0]) labels.push(p[1]);
  if (labels.length > 32) labels.splice(24, labels.length - 32, "..");
  return labels.reverse().join("").replace(/^\./, "");
}

/** How deep the parts are of a value with so many around it: as deep as a reader takes them. */
function inside(depth: number): number {
  if (depth >= LEVELS) throw new EncodeError(`nested more than ${LEVELS} levels deep${RAISABLE}`);
  return depth + 1;
}

function putAll(
  work: Work, shapes: readonly Shape[], values: readonly unknown[], bits: Bits | null, depth: number, path?: Path | null,
  labels?: string[],
): void {
  for (let i = values.length - 1; i >= 0; i--) {
    const shape = shapes[shapes.length === 1 ? 0 : i] as Shape;
    work.push(path === undefined ? [shape, values[i], bits, depth] : [shape, values[i], bits, depth, [path, labels?.[i] ?? `[${i}]`]]);
  }
}

/**
 * Write a value, perhaps as a part of a packed one, and return how many parts it has. Throws an `EncodeError` if it is none
 * of the shape.
 */
export function putValue(out: Sink, facts: Facts, root: Shape, value: unknown, around: Bits | null = null, depth = 0): number {
  try {
    return putParts(out, facts, [[root, value, around, depth]]);
  } catch (e) {
    // Where it is wrong is found by writing it once more, so that values that are right take no time for that.
    if (e instanceof EncodeError && e.path === "") tracePath(facts, root, value, around !== null, depth, e);
    throw e;
  }
}

function tracePath(facts: Facts, root: Shape, value: unknown, packed: boolean, depth: number, e: EncodeError): void {
  const work: Work = [[root, value, packed ? new Bits() : null, depth, [null, ""]]];
  const at: { path: Path | null } = { path: null };
  try { putParts(new Sink(), facts, work, at); } catch { /* The same. */ }
  const path = pathText(at.path);
  if (path !== "") throw new EncodeError(e.reason, path);
}

// Write what is to be done, and return how many parts that is. With the last argument, note there where each part is.
function putParts(out: Sink, facts: Facts, work: Work, at?: { path: Path | null }): number {
  let parts = 0;
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const [s, v, bits, depth] = item;
    const path = item[4];
    parts++;
    if (at !== undefined) at.path = path ?? null;
    switch (s.k) {
      case "leaf": putLeaf(out, s, v, bits); break;
      case "between": putWhole(out, bits === null ? s.leaf : packedLeaf(s.leaf), boundedOf(s, v)); break;
      case "ratio": {
        const r = objectOf(v, "numerator", "denominator") as Ratio;
        const n = boundedOf(s.of, r.numerator);
        const d = boundedOf(s.of, r.denominator);
        if (d <= 0n) throw new EncodeError("Ratio: the denominator is not positive");
        if (gcd(n, d) !== 1n) throw new EncodeError("Ratio: not in lowest terms");
        work.push([s.of, d, bits, depth, path], [s.of, n, bits, depth, path]);
        break;
      }
      case "maybe":
        putTag(out, 2, Number(v !== null && v !== undefined), bits);
        if (v !== null && v !== undefined) work.push([s.of, justOf(facts, s.of, v), bits, inside(depth), path]);
        break;
      case "tuple":
        if (!Array.isArray(v) || v.length !== s.of.length) refuse(`an array of ${s.of.length} values`, v);
        putAll(work, s.of, v as unknown[], bits, depth, path);
        break;
      case "list": case "nonEmpty": case "set": {
        const xs = elementsOf(v);
        if (s.k === "nonEmpty" && xs.length === 0) throw new EncodeError("NonEmpty: no elements");
        if (s.k === "set") ascending(facts, s.of, xs);
        out.count(xs.length, s.compact || bits !== null);
        putAll(work, [s.of], xs, bits, inside(depth), path);
        break;
      }
      case "map": {
        const xs = elementsOf(v) as unknown[][];
        if (!xs.every((p) => Array.isArray(p) && p.length === 2)) refuse("an array of pairs", v);
        ascending(facts, s.key, xs.map((p) => p[0]));
        out.count(xs.length, s.compact || bits !== null);
        putAll(work, [{ k: "tuple", of: [s.key, s.value] }], xs, bits, inside(depth), path);
        break;
      }
      case "array": {
        const a = objectOf(v, "from", "to", "elements") as Indexed;
        if (!Array.isArray(a.elements)) refuse("an array", a.elements);
        // The bounds come before the number of elements.
        parts += putValue(out, facts, s.index, a.from, bits, depth);
        parts += putValue(out, facts, s.index, a.to, bits, depth);
        if (isPlain(s.index) && indicesBetween(s.index, a.from, a.to) !== BigInt(a.elements.length)) {
          throw new EncodeError("an array with another number of elements than its bounds");
        }
        out.count(a.elements.length, bits !== null);
        putAll(work, [s.of], a.elements, bits, inside(depth), path);
        break;
      }
      case "constant":
        if (!(v instanceof Uint8Array) || !sameBytes(v, s.bytes)) throw new EncodeError("other bytes than it always has");
        out.bytes(s.bytes);
        break;
      case "reference": {
        const d = facts.definitions[s.to] as Definition;
        if (facts.endless.has(s.to)) throw new EncodeError(`${cut(d.name)} has no values`);
        if (d.form === "newtype") { work.push([fieldShapes(d)[0] as Shape, v, bits, depth, path]); break; }
        const [i, fields] = constructorOf(d, v);
        if (d.form === "sum") putTag(out, d.constructors.length, i, bits);
        const c = d.constructors[i] as Constructor;
        const shapes = c.fields.map((f) => f.shape);
        const deeper = d.form === "record" || shapes.length > 0 ? inside(depth) : depth;
        if (path === undefined) { putAll(work, shapes, fields, bits, deeper); break; }
        // The name of the type stands at the beginning.
        const here: Path = path[0] === null && path[1] === "" ? [null, cut(d.name)] : path;
        putAll(work, shapes, fields, bits, deeper, d.form === "sum" ? [here, "." + cut(c.name)] : here, c.fields.map((f) => "." + cut(f.name)));
        break;
      }
      case "opaque":
        if (s.size === null) throw new EncodeError(`the format ${cut(s.name)} is not described`);
        if (!(v instanceof Uint8Array) || BigInt(v.length) !== s.size) refuse(`a Uint8Array of ${s.size} bytes`, v);
        out.bytes(v as Uint8Array);
        break;
      case "irregular": throw new EncodeError(`the irregular type ${cut(s.name)} is not described`);
      case "packed": work.push([s.of, v, bits ?? new Bits(), depth, path]); break;
      case "unpacked": work.push([s.of, v, null, depth, path]); break;
    }
  }
  return parts;
}

const TEXTS = ["utf8", "utf16", "char", "scalarValue"];
const LINE_LIMIT = 268435456;
type JsonWork = Array<string | [Shape, unknown]>;

function listed(work: JsonWork, open: string, close: string, parts: JsonWork[]): void {
  work.push(close);
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] as JsonWork;
    for (let j = part.length - 1; j >= 0; j--) work.push(part[j] as string);
    if (i > 0) work.push(",");
  }
  work.push(open);
}

function fieldsJson(work: JsonWork, c: Constructor, values: unknown[], before: string, after: string): void {
  if (isPositional(c)) {
    listed(work, before + "[", "]" + after, c.fields.map((f, i) => [[f.shape, values[i]]]));
  } else {
    listed(work, before + "{", "}" + after, c.fields.map((f, i) => [quoted(f.name) + ":", [f.shape, values[i]]]));
  }
}

/**
 * A value of the shape as JSON, as `getJsonLine` writes it, without the newline. Whether it is one is not checked. Throws an
 * `EncodeError` if the text is too long.
 */
export function jsonOf(facts: Facts, root: Shape, value: unknown): string {
  const out: string[] = [];
  let size = 0;
  const work: JsonWork = [[root, value]];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    if (typeof item === "string") {
      out.push(item);
      size += item.length;
      if (size > LINE_LIMIT) throw new EncodeError(`JSON of more than ${LINE_LIMIT} bytes`);
      continue;
    }
    const [shape, v] = item;
    const s = facts.bareShape(shape);
    switch (s.k) {
      case "leaf": work.push(leafText(s, v)); break;
      case "between": work.push(leafText(s.leaf, v)); break;
      case "ratio": { const r = v as Ratio; work.push(fraction(BigInt(r.numerator), BigInt(r.denominator))); break; }
      case "maybe": {
        if (v === null || v === undefined) { work.push("null"); break; }
        if (facts.mayBeNull(s.of)) work.push("]", [s.of, justOf(facts, s.of, v)], "["); else work.push([s.of, v]);
        break;
      }
      case "tuple": listed(work, "[", "]", s.of.map((x, i) => [[x, (v as unknown[])[i]]])); break;
      case "list": case "nonEmpty": case "set": listed(work, "[", "]", elementsOf(v).map((x) => [[s.of, x]])); break;
      case "map": {
        const key = facts.bareShape(s.key);
        const pairs = elementsOf(v) as Array<[unknown, unknown]>;
        if (key.k === "leaf" && TEXTS.includes(key.type)) {
          listed(work, "{", "}", pairs.map(([k, x]) => [[s.key, k], ":", [s.value, x]]));
        } else listed(work, "[", "]", pairs.map(([k, x]) => ["[", [s.key, k], ",", [s.value, x], "]"]));
        break;
      }
      case "array": {
        const a = v as Indexed;
        listed(work, ',"elements":[', "]}", a.elements.map((x) => [[s.of, x]]));
        work.push([s.index, a.to], ',"to":', [s.index, a.from], '{"from":');
        break;
      }
      case "reference": {
        const d = facts.definitions[s.to] as Definition;
        if (d.form === "newtype") { work.push([fieldShapes(d)[0] as Shape, v]); break; }
        const [i, fields] = constructorOf(d, v);
        const c = d.constructors[i] as Constructor;
        if (d.form === "record") fieldsJson(work, c, fields, "", "");
        else if (c.fields.length === 0) work.push(quoted(c.name));
        else fieldsJson(work, c, fields, `{${quoted(c.name)}:`, "}");
        break;
      }
      default: work.push(`"${toHex(v as Uint8Array)}"`);
    }
  }
  return out.join("");
}
