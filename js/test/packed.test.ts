// The packed format: bits among bytes.
import test from "node:test";
import assert from "node:assert/strict";
import { concat, fromHex, toHex } from "../src/bytes.js";
import { describeShape } from "../src/describe.js";
import { DecodeError } from "../src/errors.js";
import { evolve, EvolutionError } from "../src/evolution.js";
import { Facts } from "../src/facts.js";
import { readBytes, writeBytes } from "../src/files.js";
import { Evolution } from "../src/rules.js";
import { Schema } from "../src/schema.js";
import { Constructor, Definition, fieldShapes, Leaf, leaf, LeafType, Shape } from "../src/shapes.js";
import { typescriptSource } from "../src/source.js";
import { State } from "../src/state.js";
import { Indexed, Ratio, takeApart } from "../src/values.js";
import { Random } from "./random.js";

const packed = (of: Shape): Shape => ({ k: "packed", of });
const unpacked = (of: Shape): Shape => ({ k: "unpacked", of });
const list = (of: Shape): Shape => ({ k: "list", of, compact: false });
const tuple = (...of: Shape[]): Shape => ({ k: "tuple", of });
const maybe = (of: Shape): Shape => ({ k: "maybe", of });
const to = (n: number): Shape => ({ k: "reference", to: n });
const bool = leaf("bool");
const unit = leaf("unit");
const word8 = leaf("word8");
const enumeration = (name: string, ...names: string[]): Definition =>
  ({ name, form: "sum", order: "byParts", constructors: names.map((n) => ({ name: n, retired: false, fields: [] })) });
const record = (name: string, fields: Record<string, Shape>): Definition => ({
  name, form: "record", order: "byParts",
  constructors: [{ name, retired: false, fields: Object.entries(fields).map(([n, shape]) => ({ name: n, shape })) }],
});
const wind = enumeration("Wind", "North", "East", "South", "West");
const directions = enumeration("Direction", "A", "B", "C", "D", "E");
const size: Definition = { name: "Size", form: "sum", order: "byParts", constructors: [
  { name: "Small", retired: false, fields: [] }, { name: "Large", retired: false, fields: [{ name: "1", shape: leaf("word16") }] },
] };

/** Its bytes in hexadecimal, with spaces between groups that mean something. */
function golden(s: Schema | Shape, value: unknown, hex: string): void {
  const schema = s instanceof Schema ? s : new Schema(packed(s), []);
  const bytes = fromHex(hex.replace(/ /g, ""));
  assert.equal(toHex(schema.encodeValue(value)), toHex(bytes));
  assert.deepEqual(schema.decodeValue(bytes), value);
  assert.deepEqual(schema.readExactly(new State(bytes, 0, bytes.length)), value);
}

function refused(s: Schema, bytes: Uint8Array, message: string): void {
  assert.throws(() => s.decodeValue(bytes), { message });
}

test("packed bytes", () => {
  golden(tuple(bool, unpacked(leaf("word16"))), [true, 1], "80 0100");
  golden(new Schema(packed(to(0)), [record("Report", { gusts: bool, from: to(1), speeds: list(leaf("int64")) }), wind]),
    { gusts: true, from: { tag: "South" }, speeds: [7n, -3n] }, "c0 02 0e 05");
  golden(new Schema(packed(list(to(0))), [size]), [{ tag: "Small" }, { tag: "Large", value: [300] }, { tag: "Small" }], "03 40 ac02");
  golden(new Schema(packed(list(to(0))), [directions]), ["A", "B", "C", "D", "E"].map((tag) => ({ tag })), "05 1b70");
  golden(tuple(bool, bool, unpacked(packed(bool)), bool), [true, false, true, true], "a0 80");
  golden(tuple(bool, packed(tuple(bool, bool))), [true, [true, true]], "e0");
  golden(new Schema(unpacked(bool), []), true, "01");
  golden(new Schema(packed(to(0)), [enumeration("One", "Only")]), { tag: "Only" }, "");
  golden(list(maybe(maybe(bool))), [null, { just: null }, { just: true }], "03 5c");
  // The ninth bit is after the string that comes before it.
  golden(tuple(list(bool), leaf("utf8"), bool), [Array(8).fill(true), "ab", true], "08 ff 026162 80");
  golden(tuple(leaf("word8"), leaf("int8"), leaf("word16"), leaf("int16"), leaf("word64"), leaf("int32")),
    [200, -1, 200, -1, (1n << 64n) - 1n, -(2 ** 31)], "c8 ff c801 01 ffffffffffffffffff01 ffffffff0f");
  golden(tuple(leaf("int64"), leaf("int64"), leaf("word64")), [-(1n << 63n), (1n << 49n) + 1n, 1n << 49n],
    "ffffffffffffffffff01 8280808080808002 8080808080808001");
  golden(tuple(leaf("word16", "bigEndian"), leaf("int16", "varint"), leaf("float32"), leaf("integer"), leaf("date")),
    [1, -1, 1, -1n, 1n], "0001 ffffffffffffffffff01 0000803f 0301 0201");
  golden(tuple(leaf("char"), leaf("scalarValue"), leaf("bytes"), leaf("utf16")), ["\ud800", "é", Uint8Array.of(7), "a"],
    "80b003 e901 0107 0100000000000000 6100");
  golden(tuple({ k: "ratio", of: leaf("int64") }, { k: "between", low: 0n, high: 300n, leaf: leaf("word32") }),
    [{ numerator: -1n, denominator: 2n }, 300], "01 04 ac02");
  golden({ k: "array", index: leaf("word16"), of: bool }, { from: 300, to: 301, elements: [true, false] }, "ac02 ad02 02 80");
  golden({ k: "map", key: bool, value: leaf("word8"), compact: false }, [[false, 1], [true, 2]], "02 40 01 02");
  golden({ k: "set", of: leaf("int16"), compact: true }, [-2, 3], "02 03 06");
  golden({ k: "set", of: unpacked(leaf("word16")), compact: true }, [2, 256], "02 0200 0001");
  golden(new Schema({ k: "set", of: packed(leaf("word16")), compact: true }, []), [2, 256], "02 02 8002");
  golden(tuple({ k: "constant", bytes: Uint8Array.of(1, 2) }, { k: "opaque", name: "", version: 0n, size: 1n }),
    [Uint8Array.of(1, 2), Uint8Array.of(9)], "0102 09");
  golden(list(unit), [[], [], []], "03");
});

test("what is refused in packed values", () => {
  const of = (s: Shape, ...definitions: Definition[]): Schema => new Schema(packed(s), definitions);
  const bits = "bits after the last one that are not zero";
  for (let b = 0; b < 256; b++) if (b % 128 > 0) refused(of(bool), Uint8Array.of(b), `at byte 1: ${bits}`);
  refused(of(list(bool)), fromHex("0181"), `at byte 2: ${bits}`);
  refused(of(tuple(leaf("utf8"), bool)), fromHex("0161a0"), `at byte 3: ${bits}`);
  refused(new Schema(tuple(packed(bool), bool), []), fromHex("c001"), `at byte 1: ${bits}`);
  refused(of(list(bool)), fromHex("09ff"), "at byte 2, in [8]: 1 byte needed, 0 left (9 elements announced)");
  // The code of the third symbol begins in a byte, and ends in none.
  refused(of(tuple(to(0), to(0), to(0), to(0)), directions), fromHex("ff"), "at byte 1: 1 byte needed, 0 left");
  refused(of(to(0), record("R", { a: bool, b: leaf("word16") })), fromHex("80808004"), "at byte 1, in R.b: a varint that does not fit its type");
  refused(of(tuple(bool, leaf("char"))), fromHex("8080808001"), "at byte 1: a Char is at most 1114111, not 2097152");
  refused(of(leaf("scalarValue")), fromHex("80b003"), "at byte 0: a surrogate");
  refused(of({ k: "between", low: -1n, high: 1n, leaf: leaf("int64") }), fromHex("04"), "at byte 0: more than 1");
  refused(of({ k: "set", of: bool, compact: false }), fromHex("0280"), "at byte 2, in [1]: keys that do not ascend");
  refused(of(leaf("word64")), fromHex("ffffffffffffffffff02"), "at byte 0: a varint that does not fit its type");
  refused(of(leaf("int64")), fromHex("80808080808080808000"), "at byte 0: a varint that is not in its shortest form");
  refused(of(leaf("int16")), fromHex("808004"), "at byte 0: a varint that does not fit its type");
  for (const key of [packed(bool), unpacked(bool)]) {
    const set = new Schema({ k: "set", of: key, compact: true }, []);
    refused(set, fromHex("020000"), "at byte 2, in [1]: keys that do not ascend");
  }
  const retired = { ...size, constructors: size.constructors.map((c) => ({ ...c, retired: c.fields.length === 0 })) };
  refused(of(tuple(bool, to(0)), retired), fromHex("80"), "at byte 1: constructor Small, which is no longer in use");
});

test("parts of no bits are steps", () => {
  const most = " elements of no bytes; withBudget raises the limit";
  const read = (s: Shape, hex: string): unknown => new Schema(s, []).decodeValue(fromHex(hex));
  assert.equal((read(packed(list(unit)), "c0843d") as unknown[]).length, 1000000);
  assert.throws(() => read(packed(list(unit)), "8080808010"), { message: `at byte 5: more than 1048576${most}` });
  assert.throws(() => read(packed(list(packed(unit))), "8080808010"), { reason: `more than 1048576${most}` });
  // (The value is a step, and so is a part that has no bits for sure.)
  assert.throws(() => read(list(packed(unit)), "0000000001000000"), { path: "[524288]", reason: `more than 1048576${most}` });
  // Bits are no steps: eight are in a byte.
  const many = concat([fromHex("80808001"), new Uint8Array(2097152)]);
  assert.equal((new Schema(packed(list(bool)), []).decodeValue(many.subarray(0, 262148)) as unknown[]).length, 2097152);
  assert.equal((new Schema({ k: "list", of: packed(bool), compact: true }, []).decodeValue(many) as unknown[]).length, 2097152);
  // A number of any size has eight bits for sure.
  const wide = list(tuple(leaf("float64"), ...Array.from({ length: 600 }, () => unit)));
  assert.throws(() => read(packed(wide), "e807" + "00".repeat(8000)), { reason: `more than 1048576${most}` });
  assert.throws(() => new Schema(packed(to(0)), [record("Endless", { x: to(0) })]).decodeValue(fromHex("00")), DecodeError);
  // No steps for 64 parts of each byte, and for 8 of a bit. One more, and all of them are steps.
  const units = (n: number): Shape[] => Array.from({ length: n }, () => unit);
  const few = (n: number, of: (k: number) => Shape, bytes: Uint8Array): void => {
    new Schema(of(n), []).decodeValue(bytes);
    assert.throws(() => new Schema(of(n + 1), []).decodeValue(bytes), { reason: `more than 1048576${most}` });
  };
  const zeros = new Uint8Array(17000);
  few(62, (n) => list(tuple(word8, ...units(n))), concat([fromHex("6842000000000000"), zeros]));
  few(62, (n) => packed(list(tuple(word8, ...units(n)))), concat([fromHex("e88401"), zeros]));
  few(6, (n) => packed(list(tuple(bool, ...units(n)))), concat([fromHex("c0a907"), zeros.subarray(0, 15000)]));
  // A record of no bytes in a file is a byte that is 0.
  const nothing = new Schema(packed(unit), []);
  assert.deepEqual([...readBytes(writeBytes(nothing, [[], []]))].map((r) => r.value), [[], []]);
});

test("packed values are read by compiled code", () => {
  const inner: Definition = { name: "Inner", form: "newtype", order: "byParts",
    constructors: [{ name: "Inner", retired: false, fields: [{ name: "1", shape: maybe(to(0)) }] }] };
  const all = record("All", {
    a: bool, b: to(1), c: unpacked(tuple(bool, packed(tuple(bool, leaf("int64"))), leaf("word16"))), d: maybe(bool), e: leaf("word64"),
    f: to(2), g: { k: "map", key: leaf("utf8"), value: to(3), compact: false }, h: packed(list(leaf("int16"))), i: leaf("bytes"),
  });
  const schema = new Schema(list(packed(to(0))), [all, directions, inner, size]);
  const value = (f: unknown, n: bigint): unknown => ({
    a: true, b: { tag: "D" }, c: [true, [false, -n], 5], d: false, e: n, f,
    g: [["x", { tag: "Large", value: [700] }], ["y", { tag: "Small" }]], h: [-5, 300], i: Uint8Array.of(1),
  });
  const values = [value(null, 1n << 49n), value(value(value(null, 3n), 1n << 62n), (1n << 63n) - 1n)];
  const bytes = schema.encodeValue(values);
  for (let n = 0; n < bytes.length; n++) {
    assert.equal(schema.decodeQuickly(bytes.slice(0, n), 0, 1, []), 0);
    const found: unknown[] = [];
    assert.equal(schema.decodeQuickly(bytes, 0, 1, found), bytes.length);
    assert.deepEqual(found, [values]);
  }
});

test("packed schemas", () => {
  const schema = new Schema(packed(maybe(leaf("int64"))), []);
  assert.equal(toHex(schema.encode()), "0e03000107" + "0".repeat(16));
  assert.equal(schema.toJson(), '{"root":{"type":"packed","of":{"type":"maybe","of":{"type":"int64"}}},"definitions":[]}');
  const texts: Array<[Shape, string]> = [
    [packed(to(0)), "Packed Order"], [schema.root, "Packed (Maybe Int64)"], [unpacked(list(leaf("word16"))), "Unpacked [Word16]"],
    [maybe(packed(bool)), "Maybe (Packed Bool)"],
  ];
  for (const [s, text] of texts) assert.equal(describeShape(["Order"], s), text);
  assert.ok(schema.fingerprintHex() !== new Schema(maybe(leaf("int64")), []).fingerprintHex());
  const around = new Schema(maybe(packed(maybe(unpacked(leaf("utf8"))))), []);
  assert.ok(typescriptSource(around).includes("export type Root = { just: string | null } | null;"));
  assert.equal(around.toJsonLine({ just: null }), "[null]");
  const named = new Schema({ k: "map", key: packed(leaf("utf8")), value: bool, compact: false }, []);
  assert.equal(named.toJsonLine([["a", true]]), '{"a":true}');
});

// The model: bits and bytes in lists, which know nothing of each other.

type Item = Uint8Array | string;

/** The code of a symbol: the tables of truncated binary, made by counting leaves of a tree. */
function code(count: number, i: number): string {
  if (count === 1) return "";
  let codes = ["0", "1"];
  while (2 * codes.length <= count) codes = codes.flatMap((c) => [c + "0", c + "1"]);
  const split = count - codes.length;
  return [...codes.slice(0, codes.length - split), ...codes.slice(codes.length - split).flatMap((c) => [c + "0", c + "1"])][i] as string;
}

function littleEndian(bytes: number, n: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => Math.floor(n / 256 ** i) % 256);
}

function leb(n: bigint): Uint8Array {
  return n < 128n ? Uint8Array.of(Number(n)) : concat([Uint8Array.of(Number(n % 128n) + 128), leb(n / 128n)]);
}

/** What a value consists of: bits, and bytes. */
function items(facts: Facts, s: Shape, v: unknown, plain: boolean): Item[] {
  const part = (x: Shape, y: unknown): Item[] => items(facts, x, y, plain);
  const all = (x: Shape, vs: readonly unknown[]): Item[] => vs.flatMap((y) => part(x, y));
  const counted = (compact: boolean, of: Shape, vs: readonly unknown[]): Item[] =>
    [compact || !plain ? leb(BigInt(vs.length)) : littleEndian(8, vs.length), ...all(of, vs)];
  const tag = (count: number, i: number): Item => (plain ? littleEndian(count > 256 ? 2 : 1, i) : code(count, i));
  switch (s.k) {
    case "leaf": return [plain ? new Schema(s, []).encodeValue(v) : packedLeaf(s, v)];
    case "between": return part(s.leaf, v);
    case "ratio": return all(s.of, [(v as Ratio).numerator, (v as Ratio).denominator]);
    case "maybe": return v === null ? [tag(2, 0)] : [tag(2, 1), ...part(s.of, facts.mayBeNull(s.of) ? (v as { just: unknown }).just : v)];
    case "tuple": return s.of.flatMap((x, i) => part(x, (v as unknown[])[i]));
    case "list": case "nonEmpty": case "set": return counted(s.compact, s.of, v as unknown[]);
    case "map": return counted(s.compact, tuple(s.key, s.value), v as unknown[]);
    case "array": { const a = v as Indexed; return [...all(s.index, [a.from, a.to]), ...counted(false, s.of, a.elements)]; }
    case "constant": return [s.bytes];
    case "packed": { const inside = items(facts, s.of, v, false); return plain ? [model(inside)] : inside; }
    case "unpacked": { const inside = items(facts, s.of, v, true); return plain ? inside : [model(inside)]; }
    case "reference": {
      const d = facts.definitions[s.to] as Definition;
      if (d.form === "newtype") return part(fieldShapes(d)[0] as Shape, v);
      const [i, fields] = takeApart(d, v) as [number, unknown[]];
      const c = d.constructors[i] as Constructor;
      return [...(d.form === "sum" ? [tag(d.constructors.length, i)] : []), ...c.fields.flatMap((f, j) => part(f.shape, fields[j]))];
    }
    default: throw new Error(s.k);
  }
}

function packedLeaf(l: Leaf, v: unknown): Item {
  const counted = (b: Uint8Array): Uint8Array => concat([leb(BigInt(b.length)), b]);
  if (l.type === "bool") return v === true ? "1" : "0";
  if (l.type === "char" || l.type === "scalarValue") return leb(BigInt((v as string).codePointAt(0) as number));
  if (l.type === "utf8") return counted(new TextEncoder().encode(v as string));
  if (l.type === "bytes" || l.type === "byteArray") return counted(v as Uint8Array);
  if (l.enc !== "" || !/^(word|int)(16|32|64)$/.test(l.type)) return new Schema(l, []).encodeValue(v);
  const n = BigInt(v as number);
  return leb(l.type.startsWith("word") ? n : n < 0n ? -2n * n - 1n : 2n * n);
}

function model(parts: Item[]): Uint8Array {
  const bytes: Array<number | string> = [];
  let open = -1;
  for (const part of parts) {
    if (typeof part !== "string") { bytes.push(...part); continue; }
    for (const bit of part) {
      if (open < 0 || (bytes[open] as string).length === 8) { open = bytes.length; bytes.push(""); }
      bytes[open] += bit;
    }
  }
  return Uint8Array.from(bytes, (b) => (typeof b === "number" ? b : parseInt(b.padEnd(8, "0"), 2)));
}

/** Random schemas with packed parts, and values of them. */
function samples(count: number, check: (schema: Schema, value: unknown, random: Random) => void): void {
  const random = new Random(7);
  for (let i = 0; i < count; i++) {
    const schema = random.schema(true);
    check(schema, random.value(schema.facts, schema.root), random);
  }
}

const shown = (s: Schema, v: unknown): string => `${s.toJson()}\n${s.toJsonLine(v)}`;

test("random values have the bytes of the model", () => {
  samples(300, (schema, value) => {
    const bytes = schema.encodeValue(value);
    assert.equal(toHex(bytes), toHex(model(items(schema.facts, schema.root, value, true))), shown(schema, value));
    assert.equal(schema.toJsonLine(schema.decodeValue(bytes)), schema.toJsonLine(value));
    assert.equal(toHex(Schema.decode(schema.encode()).encode()), toHex(schema.encode()));
    assert.equal(toHex(Schema.fromJson(schema.toJson()).encode()), toHex(schema.encode()));
  });
});

test("of other bytes than those of a value, all that is read has these bytes", () => {
  let read = 0;
  samples(100, (schema, value) => {
    const bytes = schema.encodeValue(value);
    if (bytes.length > 40) return;
    for (let n = 0; n < bytes.length; n++) assert.throws(() => schema.decodeValue(bytes.subarray(0, n)), DecodeError);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const other = bytes.slice();
      (other[bit >> 3] as number) ^= 128 >> (bit & 7);
      const fast: unknown[] = [];
      const end = schema.decodeQuickly(other, 0, 1, fast);
      const st = new State(other, 0, other.length);
      let found: unknown;
      try {
        found = schema.readExactly(st);
        st.expectEnd();
      } catch (e) {
        assert.ok(e instanceof DecodeError, String(e));
        assert.ok(fast.length === 0 || end < other.length, `${shown(schema, value)}: ${toHex(other)}`);
        continue;
      }
      read++;
      if (fast.length > 0) assert.deepEqual([fast[0], end], [found, other.length]);
      if (!/NaN/.test(schema.toJsonLine(found))) assert.equal(toHex(schema.encodeValue(found)), toHex(other), shown(schema, value));
    }
  });
  assert.ok(read > 300, `${read} were read`);
});

test("any schema becomes one with other parts packed", () => {
  const random = new Random(11);
  for (let i = 0; i < 300; i++) {
    const plain = random.schema(false);
    const value = random.value(plain.facts, plain.root);
    const [x, y] = [random.otherFormats(plain), random.otherFormats(plain)];
    for (const [from, today] of [[plain, x], [x, plain], [x, y]] as const) {
      const bytes = from.encodeValue(value);
      const values = evolve(from, { schema: today });
      assert.equal(today.toJsonLine(values.decodeValue(bytes)), today.toJsonLine(value), `${shown(from, value)}\n${today.toJson()}`);
    }
  }
});

test("packed values of older types", () => {
  const schema = (root: Shape, ...definitions: Definition[]): Schema => new Schema(root, definitions);
  const old = record("Order", { id: leaf("word16"), fax: packed(leaf("utf8")), paid: bool });
  const today = record("Order", { paid: bool, id: leaf("word64"), note: packed(maybe(leaf("utf8"))) });
  const rules = { Order: [{ rule: "dropped", field: "fax" }, { rule: "added", field: "note", default: "-" }] } as const;
  for (const from of [to(0), packed(to(0)), unpacked(to(0))]) {
    for (const now of [to(0), packed(to(0)), packed(unpacked(to(0)))]) {
      const bytes = schema(list(from), old).encodeValue([{ id: 300, fax: "12", paid: true }, { id: 7, fax: "", paid: false }]);
      const values = evolve(schema(list(from), old), { schema: schema(list(now), today), evolution: rules });
      assert.deepEqual(values.decodeValue(bytes), [{ paid: true, id: 300n, note: "-" }, { paid: false, id: 7n, note: "-" }]);
      for (let n = 0; n < bytes.length; n++) assert.throws(() => values.decodeValue(bytes.slice(0, n)), DecodeError);
    }
  }
  // What does not fit is said at the path in the type of today.
  const mismatch = (from: Schema, now: Schema): string => {
    try { evolve(from, { schema: now }); } catch (e) { assert.ok(e instanceof EvolutionError); return (e as Error).message; }
    return "";
  };
  assert.ok(mismatch(schema(packed(to(0)), old), schema(to(0), today)).startsWith("Order: the data have a field fax"));
  assert.ok(mismatch(schema(to(0), old), schema(packed(to(0)), record("Order", { id: bool, fax: packed(leaf("utf8")), paid: bool })))
    .startsWith("Order.id: Word16 cannot become Bool; "));
  const set = (of: Shape): Schema => schema({ k: "set", of, compact: false });
  assert.ok(mismatch(set(packed(leaf("word8"))), set(packed(leaf("utf8")))).startsWith("value[]: Word8 cannot become Text; "));
  // Packed keys change as others do: their order stays.
  const keys = (of: Shape, ...definitions: Definition[]): Schema => schema({ k: "map", key: of, value: bool, compact: false }, ...definitions);
  for (const [from, now] of [[packed, packed], [packed, (x: Shape) => x], [(x: Shape) => x, packed]] as const) {
    const keyed = evolve(keys(from(leaf("word16"))), { schema: keys(now(leaf("word64"))) });
    assert.deepEqual(keyed.decodeValue(keys(from(leaf("word16"))).encodeValue([[7, true], [300, false]])), [[7n, true], [300n, false]]);
    const pairs = [record("Pair", { a: bool, b: bool }), record("Pair", { b: bool, a: bool })] as const;
    assert.ok(mismatch(keys(from(to(0)), pairs[0]), keys(now(to(0)), pairs[1])).includes("keys must stay in order"));
    assert.ok(mismatch(keys(from(bool)), keys(now(leaf("utf8")))).startsWith("value{key}: Bool cannot become Text; "));
  }
  // A part that is packed on one side only.
  const swapped = evolve(schema(packed(tuple(leaf("word16"), unpacked(leaf("word16"))))), { schema: schema(packed(tuple(unpacked(leaf("word16")), leaf("word16")))) });
  assert.deepEqual(swapped.decodeValue(fromHex("012c01")), [1, 300]);
  const wrapper = (of: Shape): Definition => ({ ...record("N", { "1": of }), form: "newtype" });
  const half = (of: Shape): Schema => schema(packed(tuple(bool, to(0))), wrapper(of));
  assert.deepEqual(evolve(half(unpacked(leaf("word16"))), { schema: half(leaf("word16")) }).decodeValue(fromHex("802c01")), [true, 300]);
  assert.deepEqual(evolve(half(leaf("word16")), { schema: half(unpacked(leaf("word16"))) }).decodeValue(fromHex("80ac02")), [true, 300]);
  assert.ok(evolve(half(leaf("word16")), { schema: half(leaf("word16")) }) instanceof Schema);
  // A field that stays as it is.
  const kept = (n: LeafType): Schema => schema(to(0), record("Kept", { n: leaf(n), x: packed(tuple(bool, leaf("utf8"))) }));
  assert.deepEqual(evolve(kept("word8"), { schema: kept("int32") }).decodeValue(fromHex("07800161")), { n: 7, x: [true, "a"] });
  // Where the bytes are the same, they are read as they are.
  const pair = (...news: string[]): Schema => schema(packed(to(0)), enumeration("E", "A", ...news));
  assert.ok(evolve(pair("B"), { schema: pair("C"), evolution: { E: [{ rule: "renamedConstructor", old: "B", new: "C" }] } }) instanceof Schema);
  assert.deepEqual(evolve(pair("B"), { schema: pair("B", "C") }).decodeValue(fromHex("80")), { tag: "B" });
  const unknown: Shape = { k: "opaque", name: "X", version: 0n, size: null };
  assert.equal(mismatch(schema(packed(unknown)), schema(unknown)), "value: the format X is not described, so nothing around it can change and it cannot be dropped");

  // The root's name is that of the definition in one that is packed.
  for (const [root, name] of [[packed(to(0)), "Order"], [unpacked(packed(unpacked(to(0)))), "Order"], [packed(packed(to(0))), "value"]] as const) {
    assert.ok(mismatch(schema(root, old), schema(root, today)).startsWith(`${name}: the data have a field fax`));
  }

  // Errors are at old bytes.
  const refusedAs = (from: Schema, now: Schema, evolution: Evolution, hex: string, message: string): void =>
    assert.throws(() => evolve(from, { schema: now, evolution }).decodeValue(fromHex(hex)), { message });
  const gone = { Size: [{ rule: "droppedConstructor", name: "Large" }] } as const;
  const left = { ...size, constructors: size.constructors.slice(0, 1) };
  const own = "in bytes of their own, at byte 0: constructor Large, which is no longer in use";
  for (const now of [to(0), packed(to(0))]) {
    refusedAs(schema(tuple(bool, packed(to(0))), size), schema(tuple(bool, now), left), gone, "018005", `at byte 3: ${own}`);
  }
  refusedAs(schema(list(leaf("utf8"))), schema(packed(list(leaf("utf8")))), {}, "0100000000000000" + "0100000000000000" + "ff",
    "at byte 16, in [0]: invalid UTF-8");
  refusedAs(schema(tuple(bool, packed(leaf("word16")))), schema(tuple(bool, leaf("word16"))), {}, "01808004", "at byte 1: a varint that does not fit its type");
  refusedAs(schema(tuple(packed(bool), bool)), schema(tuple(bool, bool)), {}, "8101", "at byte 1: bits after the last one that are not zero");
  // Packed values of no bytes are counted when they are plain.
  refusedAs(schema(list(unit)), schema(packed(list(packed(unit)))), {}, "ffffffffffffff0f", "at byte 8: more than 1048576 elements of no bytes; withBudget raises the limit");
});

test("a type that contains itself by way of a packed one", () => {
  const rules = { T: [{ rule: "added", field: "note", default: "-" }] } as const;
  const old = (of: (s: Shape) => Shape): Schema => new Schema(to(0), [record("T", { n: leaf("word8"), next: of(maybe(to(0))) })]);
  const today = (of: (s: Shape) => Shape): Schema =>
    new Schema(to(0), [record("T", { next: of(maybe(to(0))), n: leaf("word16"), note: packed(leaf("utf8")) })]);
  const plain = (s: Shape): Shape => s;
  const half = (s: Shape): Shape => packed(maybe(unpacked((s as { of: Shape }).of)));
  const maps = (of: (s: Shape) => Shape): Schema => new Schema(to(0), [{
    ...record("M", { "1": { k: "map", key: leaf("word8"), value: of(to(0)), compact: true } }), form: "newtype",
  }]);
  const value = { n: 1, next: { n: 2, next: { n: 200, next: null } } };
  const note = "-";
  const found = { n: 1, note, next: { n: 2, note, next: { n: 200, note, next: null } } };
  for (const from of [plain, packed, half]) {
    for (const now of [plain, packed, half]) {
      const values = evolve(old(from), { schema: today(now), evolution: rules });
      assert.deepEqual(values.decodeValue(old(from).encodeValue(value)), found);
      assert.deepEqual(evolve(old(from), { schema: old(now) }).decodeValue(old(from).encodeValue(value)), value);
    }
  }
  const nested = [[1, [[2, []]]], [3, []]];
  for (const from of [plain, packed, unpacked]) {
    for (const now of [plain, packed, unpacked]) {
      assert.deepEqual(evolve(maps(from), { schema: maps(now) }).decodeValue(maps(from).encodeValue(nested)), nested);
    }
  }
});
