import test from "node:test";
import assert from "node:assert/strict";
import { fromHex, toHex } from "../src/bytes.js";
import { AshlarError, DecodeError, EncodeError } from "../src/errors.js";
import { evolve } from "../src/evolution.js";
import { writeBytes } from "../src/files.js";
import { md5 } from "../src/md5.js";
import { crc32c } from "../src/crc.js";
import { Rule } from "../src/rules.js";
import { Schema } from "../src/schema.js";
import { Definition, leaf, Shape } from "../src/shapes.js";
import { gcd } from "../src/values.js";
import { cases } from "./cases.js";
import { Random } from "./random.js";

test("the greatest common divisor is that of Euclid's algorithm", () => {
  const euclid = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : euclid(b, a % b));
  const r = new Random(3);
  const number = (): bigint => {
    let n = BigInt(1 + r.below(1000));
    for (let i = r.below(60); i > 0; i--) n = n * BigInt(1 + r.below(2 ** 31)) + BigInt(r.below(3));
    return n;
  };
  for (let i = 0; i < 2000; i++) {
    const [x, y, z] = [number(), number(), number()];
    const pairs: Array<[bigint, bigint]> = [[x, y], [x * z, y * z], [-x, z], [x, x + 1n], [x * x, x], [0n, y], [x, 0n]];
    for (const [a, b] of pairs) assert.equal(gcd(a, b), euclid(a < 0n ? -a : a, b < 0n ? -b : b));
  }
  // Neighbours among Fibonacci's numbers take the most steps, powers of two the largest quotients.
  let [f, g] = [0n, 1n];
  for (let i = 0; i < 3000; i++) [f, g] = [g, f + g];
  assert.equal(gcd(f, g), 1n);
  assert.equal(gcd(g * 2n ** 900n, f * 2n ** 1000n), 2n ** 900n * euclid(g, 2n ** 100n));
});

test("every truncation of a value is refused", () => {
  for (const c of cases("values").filter((x) => x["refused"] === undefined && (x["bytes"] as string).length <= 400)) {
    const schema = Schema.decode(fromHex(c["schema"] as string));
    const bytes = fromHex(c["bytes"] as string);
    for (let n = 0; n < bytes.length; n++) {
      assert.throws(() => schema.decodeValue(bytes.slice(0, n)), DecodeError);
    }
  }
});

test("what is read after any change of a byte has these bytes", () => {
  let seed = 1;
  const random = (n: number): number => { seed = (seed * 48271) % 2147483647; return seed % n; };
  for (const c of cases("values").filter((x) => x["refused"] === undefined && x["bytes"] !== "" && (x["bytes"] as string).length <= 400)) {
    const schema = Schema.decode(fromHex(c["schema"] as string));
    for (let i = 0; i < 20; i++) {
      const bytes = fromHex(c["bytes"] as string);
      bytes[random(bytes.length)] = random(256);
      let value: unknown;
      try { value = schema.decodeValue(bytes); } catch (e) { assert.ok(e instanceof DecodeError, String(e)); continue; }
      if (!/NaN/.test(schema.toJsonLine(value))) assert.equal(toHex(schema.encodeValue(value)), toHex(bytes), c["name"] as string);
    }
  }
});

test("sums", () => {
  const bytes = (t: string): Uint8Array => new TextEncoder().encode(t);
  assert.equal(toHex(md5([bytes("")])), "d41d8cd98f00b204e9800998ecf8427e");
  assert.equal(toHex(md5([bytes("a".repeat(80))])), "b15af9cdabbaea0516866a33d8fd0f98");
  assert.equal(crc32c(bytes("123456789")), 0xe3069283);
});

test("values that are none of the schema", () => {
  const refused = (s: Shape, v: unknown, message: string | RegExp = /./, ...definitions: Definition[]): void =>
    assert.throws(() => new Schema(s, definitions).encodeValue(v), { name: "EncodeError", message });
  const set = (of: Shape): Shape => ({ k: "set", of, compact: true });
  const list = (of: Shape): Shape => ({ k: "list", of, compact: true });
  refused(leaf("word8"), 256);
  refused(leaf("word8"), "1");
  refused(leaf("natural"), -1n);
  refused(leaf("date"), 1.5);
  refused(leaf("utf8"), "\ud800");
  refused(leaf("scalarValue"), "\udc00");
  refused(leaf("char"), "ab");
  refused(leaf("unit"), 5, "an empty array is needed, not number");
  for (const x of [1e300, -3.5e38]) refused(leaf("float32"), x, `${x} does not fit float32`);
  refused({ k: "between", low: 1n, high: 300n, leaf: leaf("word8") }, 0);
  refused({ k: "between", low: 1n, high: 300n, leaf: leaf("word8") }, 256);
  refused({ k: "tuple", of: [leaf("bool"), leaf("bool")] }, [true]);
  refused({ k: "nonEmpty", of: leaf("bool"), compact: true }, []);
  refused({ k: "constant", bytes: Uint8Array.of(1, 2) }, Uint8Array.of(1, 3), "other bytes than it always has");
  refused({ k: "opaque", name: "X", version: 1n, size: 2n }, Uint8Array.of(1));

  const maybe2: Shape = { k: "maybe", of: { k: "maybe", of: leaf("word8") } };
  for (const v of [5, { jst: 5 }, { just: 5, more: 1 }, [5], "just"]) refused(maybe2, v, /^an object with just only is needed, not /);

  const ratio: Shape = { k: "ratio", of: leaf("int8") };
  refused(ratio, { numerator: 2, denominator: 4 }, "Ratio: not in lowest terms");
  refused(ratio, { numerator: 0, denominator: 2 }, "Ratio: not in lowest terms");
  refused(ratio, { numerator: 2, denominator: 0 }, "Ratio: the denominator is not positive");
  refused(ratio, { numerator: 1, denominator: -1 }, "Ratio: the denominator is not positive");
  refused(ratio, { numerator: 1, denominator: 128 });
  refused(ratio, [1, 2]);

  const array = (index: Shape): Shape => ({ k: "array", index, of: leaf("word8") });
  const counted = "an array with another number of elements than its bounds";
  refused(array(leaf("word8")), { from: 1, to: 3, elements: [1] }, counted);
  refused(array(leaf("word8")), { from: 1, to: 0, elements: [1] }, counted);
  refused(array({ k: "tuple", of: [leaf("word8"), leaf("bool")] }), { from: [0, false], to: [1, true], elements: [1, 2] }, counted);
  refused(array(leaf("word8")), { from: 1, elements: [] });

  const ascend = "keys that do not ascend";
  refused(set(leaf("word8")), [2, 1], ascend);
  refused(set(leaf("word8")), [1, 1], ascend);
  refused(set(leaf("float64")), [NaN, 1], ascend);
  refused(set(leaf("float32")), [0.1, 0.1 + 1e-12], ascend);
  refused(set({ k: "maybe", of: leaf("word8") }), [null, undefined], ascend);
  refused(set(list(leaf("word8"))), [new Set([2]), new Set([1])], ascend);
  refused(set({ k: "map", key: leaf("word8"), value: leaf("word8"), compact: true }), [new Map([[2, 1]]), new Map([[1, 1]])], ascend);
  refused({ k: "map", key: leaf("word8"), value: leaf("bool"), compact: true }, [[2, true], [1, true]], ascend);
  refused(set(leaf("bytes")), [null, Uint8Array.of(1)], "in [0]: a Uint8Array is needed, not null");
  refused(set(ratio), [{ numerator: 0.5, denominator: 1 }, null]);
  assert.deepEqual(new Schema(set({ k: "maybe", of: leaf("word8") }), []).encodeValue([undefined, 1]), Uint8Array.of(2, 0, 1, 1));

  const field = (name: string, shape: Shape): { name: string; shape: Shape } => ({ name, shape });
  const pair: Definition = { name: "Pair", form: "record", order: "byParts", constructors: [
    { name: "Pair", retired: false, fields: [field("length", leaf("word8")), field("b", { k: "maybe", of: leaf("word8") })] }] };
  for (const v of [{ length: 1 }, { length: 1, b: 1, c: 1 }, [1], null]) refused({ k: "reference", to: 0 }, v, /^a value of Pair/, pair);
  const sum: Definition = { name: "Sum", form: "sum", order: "byParts", constructors: [
    { name: "Old", retired: true, fields: [] }, { name: "None", retired: false, fields: [] },
    { name: "One", retired: false, fields: [field("1", leaf("word8"))] }] };
  for (const v of [{ tag: "Old" }, { tag: "None", value: 1 }, { tag: "One" }, { tag: "One", value: [1, 2] }, { tag: "One", value: [1], more: 1 }, "None"]) {
    refused({ k: "reference", to: 0 }, v, /^a value of Sum/, sum);
  }
  // Where it is wrong.
  const pairs = list({ k: "reference", to: 0 });
  const right = { length: 1, b: null };
  refused(pairs, [right, right, { length: 1, b: "x" }], "in [2].b: a whole number (word8) is needed, not string", pair);
  refused({ k: "reference", to: 0 }, { length: "x", b: null }, "in Pair.length: a whole number (word8) is needed, not string", pair);
  refused(pairs, [{ length: 1 }], "in [0]: a value of Pair is needed, not an object without b", pair);
  refused(pairs, [{ ...right, c: 1 }], "in [0]: a value of Pair is needed, not an object with c", pair);
  refused({ k: "packed", of: pairs }, [right, { length: 300, b: null }], /^in \[1\]\.length: 300 /, pair);
  refused({ k: "reference", to: 0 }, { tag: "One", value: [-1] }, /^in Sum\.One\.1: -1 /, sum);
  let deep: Shape = leaf("word8");
  let value: unknown = "x";
  for (let i = 0; i < 90; i++) { deep = list(deep); value = [value]; }
  refused(deep, value, /^in (\[0\]){7}\.\.(\[0\]){24}: /);
  for (const form of ["newtype", "record"] as const) {
    const endless: Definition = { name: "T", form, order: "byParts", constructors: [{ name: "T", retired: false, fields: [field("1", { k: "reference", to: 0 })] }] };
    refused({ k: "reference", to: 0 }, [], "T has no values", endless);
  }
});

test("nothing is written that no reader takes", () => {
  const refused = (schema: Schema, v: unknown, message: string | RegExp): void =>
    assert.throws(() => schema.encodeValue(v), { name: "EncodeError", message });
  const definition = (name: string, form: "newtype" | "record", ...shapes: Shape[]): Definition => ({
    name, form, order: "byParts", constructors: [{ name, retired: false, fields: shapes.map((shape, i) => ({ name: `f${i}`, shape })) }],
  });
  const list = (of: Shape): Shape => ({ k: "list", of, compact: false });
  const root: Shape = { k: "reference", to: 0 };
  const deep = /nested more than 100000 levels deep; withBudget raises the limit$/;
  const node = definition("Node", "record", { k: "maybe", of: root });
  for (const s of [root, { k: "packed", of: root } as Shape]) {
    const schema = new Schema(s, [node]);
    let value: unknown = { f0: null };
    for (let i = 1; i < 50000; i++) value = { f0: value };
    assert.equal(toHex(schema.encodeValue(schema.decodeValue(schema.encodeValue(value)))), toHex(schema.encodeValue(value)));
    refused(schema, { f0: value }, deep);
  }
  const around: unknown[] = [];
  around.push(around);
  refused(new Schema(root, [definition("Tree", "newtype", list(root))]), around, deep);

  const many = /more than 1048576 elements of no bytes; withBudget raises the limit$/;
  const units = new Schema(list(leaf("unit")), []);
  assert.equal(units.encodeValue(Array(1 << 20).fill([])).length, 8);
  refused(units, Array((1 << 20) + 1).fill([]), many);
  refused(new Schema(list(list(leaf("unit"))), []), Array(1100).fill(Array(1000).fill([])), many);
  refused(new Schema(list(root), [definition("E", "record")]), Array(1100000).fill({}), many);
  refused(new Schema(list({ k: "packed", of: leaf("unit") }), []), Array(600000).fill([]), many);
  const wide: Shape = { k: "tuple", of: [...Array(200).fill(leaf("unit")), leaf("bool")] };
  refused(new Schema({ k: "packed", of: list(wide) }, []), Array(5500).fill([...Array(200).fill([]), true]), many);
  assert.throws(() => writeBytes(units, [Array(2000000).fill([])]), { name: "EncodeError", message: many });

  const large = { numerator: 1n << 200000n, denominator: 3n ** 120000n };
  const ratios = new Schema(list({ k: "ratio", of: leaf("integer") }), []);
  assert.equal((ratios.decodeValue(ratios.encodeValue([large])) as unknown[]).length, 1);
  refused(ratios, Array(25).fill(large), /more than 1048576 steps to check fractions/);
  // As many parts as no function takes as arguments.
  const parts = (n: number): Shape[] => Array(n).fill(leaf("word8"));
  const zeros = Array(200000).fill(0);
  assert.equal(new Schema({ k: "tuple", of: parts(200000) }, []).encodeValue(zeros).length, 200000);
  const broad: Definition = { name: "W", form: "record", order: "byParts", constructors: [
    { name: "W", retired: false, fields: parts(200000).map((shape, i) => ({ name: `${i + 1}`, shape })) }] };
  assert.equal(new Schema(root, [broad]).encodeValue(zeros).length, 200000);
  assert.ok(!new Schema(list(root), [definition("P", "record", leaf("unit"), leaf("int8"), list(leaf("float64")))]).facts.haveSteps(list(root)));
});

test("JSON of values that are none of the schema", () => {
  const refused = (s: Shape, v: unknown, message: string, ...definitions: Definition[]): void =>
    assert.throws(() => new Schema(s, definitions).toJsonLine(v), { name: "EncodeError", message });
  const pair: Definition = { name: "P", form: "record", order: "byParts", constructors: [
    { name: "P", retired: false, fields: [{ name: "x", shape: leaf("int32") }, { name: "y", shape: leaf("int32") }] }] };
  refused({ k: "reference", to: 0 }, { x: 1 }, "a value of P is needed, not an object without y", pair);
  refused({ k: "reference", to: 0 }, { x: "a", y: 2 }, "in P.x: a whole number (int32) is needed, not string", pair);
  refused(leaf("float64"), "abc", "a number is needed, not string");
  refused({ k: "list", of: leaf("bytes"), compact: false }, [5], "in [0]: a Uint8Array is needed, not number");
  assert.equal(new Schema({ k: "reference", to: 0 }, [pair]).toJsonLine({ y: 2, x: 1 }), '{"x":1,"y":2}');
});

/** A value with another one somewhere in it. */
function changed(random: Random, v: unknown): unknown {
  const odd = [null, undefined, 0, 1, -1, 0.5, 1e300, NaN, 3n, -3n, "", "ab", "\ud800", true, [], [1], {}, { just: null }, Uint8Array.of(7), new Set([2, 1])];
  if (random.below(4) === 0 || typeof v !== "object" || v === null || v instanceof Uint8Array) return random.of(odd);
  if (Array.isArray(v)) {
    const i = random.below(v.length + 1);
    if (random.below(3) > 0) return v.map((x: unknown, j) => (j === i ? changed(random, x) : x));
    return random.of([[...v].reverse(), [...v, ...v.slice(i)], v.slice(0, i), [...v, random.of(odd)]]);
  }
  const entries = Object.entries(v);
  const i = random.below(entries.length + 1);
  if (i === entries.length) return { ...v, more: 1 };
  return Object.fromEntries(entries.map(([k, x], j) => [k, i === j ? changed(random, x) : x]));
}

test("whatever is written is read, and has these bytes", () => {
  const random = new Random(11);
  let written = 0;
  for (let i = 0; i < 1500; i++) {
    const schema = random.schema(true);
    const value = random.value(schema.facts, schema.root);
    for (let j = 0; j < 10; j++) {
      const other = changed(random, value);
      let bytes: Uint8Array;
      try { bytes = schema.encodeValue(other); } catch (e) { assert.ok(e instanceof EncodeError, String(e)); continue; }
      written++;
      assert.equal(toHex(schema.encodeValue(schema.decodeValue(bytes))), toHex(bytes), schema.toJson());
    }
  }
  assert.ok(written > 1000, String(written));
});

test("rules of types of one name, and rules that name what is not there", () => {
  const record = (name: string, fields: Array<[string, Shape]>): Definition => ({
    name, form: "record", order: "unknown", constructors: [{ name, retired: false, fields: fields.map(([n, shape]) => ({ name: n, shape })) }],
  });
  const boxes = (...fields: string[]): Schema => Schema.fromJson(new Schema({ k: "reference", to: 0 }, [
    record("R", [["n", { k: "reference", to: 1 }], ["t", { k: "reference", to: 2 }]]),
    ...["int8", "utf8"].map((t) => record("Box", fields.map((f) => [f, leaf(t as "int8")]))),
  ]).toJson());
  const [old, schema] = [boxes("first"), boxes("first", "last")];
  const evolution: Record<string, Rule[]> = {
    "Box#1": [{ rule: "added", field: "last", default: 0 }], Box: [{ rule: "added", field: "last", default: "" }],
  };
  const bytes = old.encodeValue({ n: { first: 1 }, t: { first: "a" } });
  assert.deepEqual(evolve(old, { schema, evolution }).decodeValue(bytes), { n: { first: 1, last: 0 }, t: { first: "a", last: "" } });
  const refused = (rules: Record<string, Rule[]>, message: string): void =>
    assert.throws(() => evolve(old, { schema, evolution: rules }), { name: "TypeError", message: `evolution: ${message}` });
  refused({ Bx: [] }, "there is no type Bx; there is R, Box#1, Box#2");
  refused({ Box: [{ rule: "added", field: "lst", default: 0 }] }, "Box has no field lst; it has first, last");
  refused({ R: [{ rule: "unknownConstructors", name: "Q" }] }, "R has no constructor Q; it has R");
});

test("schemas that no type has", () => {
  const name = '{"root":{"type":"reference","to":0},"definitions":[{"name":"A","form":"record","order":"unknown","constructors":[{"name":"B","fields":[{"name":"C","shape":{"type":"bool"}}]}]}]}';
  assert.equal(Schema.fromJson(name).toJson(), name);
  const refused = (json: string, message: string): void =>
    assert.throws(() => Schema.fromJson(json), (e: unknown) => e instanceof AshlarError && e.message === message);
  for (const c of ["A", "B", "C"]) refused(name.replace(`"${c}"`, '"x\\udc00"'), "definition 0: a name with a surrogate");
  const root = (json: string, message: string): void => refused(`{"root":${json},"definitions":[]}`, message);
  root('{"type":"irregular","name":"\\ud800"}', "the root: a name with a surrogate");
  root('{"type":"opaque","name":"\\ud800","version":1}', "the root: a name with a surrogate");
  root('{"type":"opaque","name":"X","version":9223372036854775808}', "the root: a number that does not fit 64 bits");
  root('{"type":"opaque","name":"X","version":1,"size":9223372036854775808}', "the root: a number that does not fit 64 bits");
  root('{"type":"fixedPoint","unitsPerOne":-1}', "the root: a negative number of units");
  root('{"type":"fixedPoint","unitsPerOne":-1,"from":0,"to":1}', "the root: a negative number of units");
  root('{"type":"word8","to":1}', "no schema: a number is missing");
  root('{"type":"reference","to":9007199254740993}', "a reference to definition 9007199254740993");
  const bytes = (hex: string, message: string): void => assert.throws(() => Schema.decode(fromHex(hex)), { message });
  bytes("0b01000000000020000000000000000000", "at byte 0: a reference to definition 9007199254740993");
  // All bytes of constructors without fields are there before one of them is read.
  bytes("000000000a01000000380000000000000000dc",
    "at byte 19, in Schema.schemaDefinitions[0].definitionOrder: 1 byte needed, 0 left (4035225266141396992 elements announced)");
  bytes("0000010000000000000000000000000000000505",
    "at byte 18, in Schema.schemaDefinitions[0].definitionForm: constructor tag 5, but Form has 3 constructors (tags 0 to 2)");
});

test("a schema keeps no memory of the bytes that it was decoded from", () => {
  const bytes = new Schema({ k: "constant", bytes: Uint8Array.of(1, 2, 3) }, []).encode();
  for (const given of [bytes.slice(), Buffer.from(bytes)]) {
    const schema = Schema.decode(given);
    given.fill(0);
    assert.equal(toHex(schema.encode()), toHex(bytes));
  }
});

test("elements whose first bytes are in records in records are no elements of no bytes", () => {
  const lists = (first: "int32" | "int64"): Schema => {
    const shapes: Shape[] = [1, 2, 3, 4, 5, 6, 7, 8].map((to) => ({ k: "reference", to }));
    const definitions = [...shapes, leaf(first)].map((shape, i): Definition => ({
      name: `D${i}`, form: "record", order: "unknown",
      constructors: [{ name: `D${i}`, retired: false, fields: [{ name: "a", shape }] }],
    }));
    return new Schema({ k: "list", of: { k: "reference", to: 0 }, compact: false }, definitions);
  };
  const values = evolve(lists("int32"), { schema: lists("int64") });
  assert.throws(() => values.decodeValue(fromHex("0000200000000000")), /4 bytes needed, 0 left/);
});

test("elements of no bytes that are translated and then read are two steps", () => {
  const list: Shape = { k: "list", of: leaf("unit"), compact: false };
  const schema = (...fields: Array<[string, Shape]>): Schema => new Schema({ k: "reference", to: 0 }, [{
    name: "R", form: "record", order: "byParts",
    constructors: [{ name: "R", retired: false, fields: fields.map(([name, shape]) => ({ name, shape })) }],
  }]);
  const evolution: Record<string, Rule[]> = { R: [{ rule: "added", field: "n", default: 7 }] };
  const values = evolve(schema(["us", list]), { schema: schema(["us", list], ["n", leaf("word8")]), evolution });
  const us = Array(524288).fill([]);
  assert.deepEqual(values.decodeValue(fromHex("0000080000000000")), { us, n: 7 });
  assert.throws(() => values.decodeValue(fromHex("0100080000000000")),
    { name: "DecodeError", reason: "more than 1048576 elements of no bytes; withBudget raises the limit" });
});

test("the path of an error is cut after 1000 characters, not after 1000 units of UTF-16", () => {
  const name = "𝄞".repeat(99);
  const path = (levels: number): string => {
    const definitions = Array.from({ length: levels }, (_, i): Definition => {
      const shape: Shape = i + 1 < levels ? { k: "reference", to: i + 1 } : leaf("word8");
      return { name: "R", form: "record", order: "unknown", constructors: [{ name: "R", retired: false, fields: [{ name, shape }] }] };
    });
    try {
      new Schema({ k: "reference", to: 0 }, definitions).decodeValue(new Uint8Array(0));
    } catch (e) {
      if (e instanceof DecodeError) return e.path;
    }
    return "";
  };
  for (const levels of [6, 9, 10, 20]) {
    const whole = "R" + `.${name}`.repeat(levels);
    assert.equal(path(levels), levels < 10 ? whole : [...whole].slice(0, 1000).join("") + "..", `${levels} levels`);
  }
});
