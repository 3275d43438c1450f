// Work is in proportion to schemas and to what they say. Each of these tests takes hours or all memory where it is not.
import test from "node:test";
import assert from "node:assert/strict";
import { concat, sameBytes, toHex } from "../src/bytes.js";
import { evolve } from "../src/evolution.js";
import { unwrapped } from "../src/facts.js";
import { md5 } from "../src/md5.js";
import { essence, essenceSize, Schema } from "../src/schema.js";
import { encodeTerms } from "../src/schemabytes.js";
import { children, Definition, Field, fieldShapes, leaf, mapShapes, overShapes, Shape } from "../src/shapes.js";
import { Random } from "./random.js";

const bool = leaf("bool");
const to = (n: number): Shape => ({ k: "reference", to: n });
const maybe = (of: Shape): Shape => ({ k: "maybe", of });
const times = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));
const record = (name: string, fields: Field[]): Definition =>
  ({ name, form: "record", order: "byParts", constructors: [{ name, retired: false, fields }] });

test("fields that are left out before one that moves", () => {
  const kept = ["a", "b"].map((name): Field => ({ name, shape: leaf("word8") }));
  const old = new Schema(to(0), [record("R", [...times(300000, (i): Field => ({ name: `x${i}`, shape: leaf("word8") })), ...kept])]);
  const schema = new Schema(to(0), [record("R", [...kept].reverse())]);
  assert.deepEqual(evolve(old, { schema, skipping: true }).decodeValue(new Uint8Array(300002).fill(1)), { a: 1, b: 1 });
});

test("planning for a sum of 30,000 constructors with fields", () => {
  const sum = (type: "int32" | "int64"): Schema => new Schema(to(0), [{
    name: "S", form: "sum", order: "byParts",
    constructors: times(30000, (i) => ({ name: `C${i}`, retired: false, fields: [{ name: `f${i}`, shape: leaf(type) }] })),
  }]);
  const found = evolve(sum("int32"), { schema: sum("int64") }).decodeValue(Uint8Array.of(2, 1, 7, 0, 0, 0));
  assert.deepEqual(found, { tag: "C258", value: { f258: 7n } });
});

test("planning for a chain of 50,000 optional records", () => {
  const chain = (last: Shape): Schema => new Schema(to(0), times(50000, (i) =>
    record("R", [{ name: "next", shape: i < 49999 ? maybe(to(i + 1)) : last }])));
  assert.deepEqual(evolve(chain(leaf("int32")), { schema: chain(leaf("int64")) }).decodeValue(Uint8Array.of(1, 0)),
    { next: { next: null } });
  assert.throws(() => evolve(chain(leaf("int32")), { schema: chain(bool) }), { message: /: Int32 cannot become Bool; / });
});

/** A record with so many fields of a newtype. */
const uses = (n: number, of: Shape): Schema => new Schema(to(0), [
  record("R", times(n, (i): Field => ({ name: `f${i}`, shape: to(1) }))),
  { name: "N", form: "newtype", order: "byParts", constructors: [{ name: "N", retired: false, fields: [{ name: "1", shape: of }] }] },
]);

test("a schema whose compiled code would be large is not compiled", () => {
  const options: Shape = { k: "tuple", of: times(49, () => maybe(bool)) };
  const read = (schema: Schema, bytes: Uint8Array): number => schema.decodeQuickly(bytes, 0, 1, []);
  assert.equal(read(uses(100, options), new Uint8Array(4900)), 4900);
  assert.equal(read(uses(65000, options), new Uint8Array(65000 * 49)), 0);
  const bounded = (bits: bigint): Shape => ({ k: "between", low: -(1n << bits), high: 1n << bits, leaf: leaf("integer") });
  assert.equal(read(uses(10, bounded(4095n)), new Uint8Array(10)), 10);
  assert.equal(read(uses(10, bounded(4096n)), new Uint8Array(10)), 0);
  assert.equal(read(uses(20000, bounded(3000000n)), new Uint8Array(20000)), 0);
  const [schema, most] = [new Schema(bounded(4096n), []), 1n << 4096n];
  for (const n of [most, -most]) assert.equal(schema.decodeValue(schema.encodeValue(n)), n);
  assert.throws(() => schema.decodeValue(new Schema(leaf("integer"), []).encodeValue(most + 1n)), { name: "DecodeError" });
});

/** The bytes of an essence: its terms are made, and then written. */
function model({ root, definitions, facts }: Schema): Uint8Array {
  const numbers = new Map<number, number>();
  const left: Definition[] = [];
  const visit = (x: Shape): void => {
    if (x.k === "reference" && !numbers.has(x.to)) {
      const d = overShapes((y) => unwrapped(facts.bare, y), definitions[x.to] as Definition);
      numbers.set(x.to, left.length);
      left.push({ ...d, name: "", order: "unknown" });
      fieldShapes(d).forEach(visit);
    }
    children(x).forEach(visit);
  };
  const bare = unwrapped(facts.bare, root);
  visit(bare);
  const numbered = (x: Shape): Shape => (x.k === "reference" ? to(numbers.get(x.to) as number) : mapShapes(numbered, x));
  return encodeTerms(numbered(bare), left.map((d) => overShapes(numbered, d)));
}

test("the essence of a schema and its size are those of a model", () => {
  const random = new Random(17);
  for (let i = 0; i < 500; i++) {
    const schema = random.schema(true);
    const expected = model(schema);
    assert.equal(toHex(concat([...essence(schema)])), toHex(expected));
    assert.equal(essenceSize(schema), expected.length);
  }
  const large = uses(500, { k: "tuple", of: [leaf("bool"), { k: "constant", bytes: new Uint8Array(5001).fill(9) }] });
  const parts = [...essence(large)];
  const expected = model(large);
  assert.ok(sameBytes(concat(parts), expected) && essenceSize(large) === expected.length);
  assert.ok(parts.every((p) => p.length < 80000));
  assert.equal(large.fingerprintHex(), toHex(md5([expected])));
});

test("sums of bytes in parts are sums of all bytes", () => {
  const random = new Random(19);
  for (let n = 0; n < 300; n++) {
    const bytes = Uint8Array.from({ length: n }, () => random.below(256));
    const cuts = random.list(4, () => random.below(n + 1)).sort((a, b) => a - b);
    const parts = [0, ...cuts].map((from, i) => bytes.slice(from, cuts[i] ?? n));
    assert.equal(toHex(md5(parts)), toHex(md5([bytes])));
  }
});

test("a schema whose essence has more than 1 GiB is refused", () => {
  const reason = "a schema whose essence has more than 1 GiB";
  const constant = (n: number): Shape => ({ k: "constant", bytes: new Uint8Array(n) });
  const schema = uses(23000, constant(500000));
  assert.throws(() => Schema.decode(schema.encode()), { name: "DecodeError", offset: 0, path: "", reason });
  assert.throws(() => Schema.fromJson(schema.toJson()), { name: "AshlarError", message: reason });
  assert.throws(() => schema.fingerprint(), { name: "AshlarError", message: reason });
  assert.throws(() => evolve(schema, { schema }), { name: "AshlarError", message: reason });
  // Newtypes of newtypes.
  assert.throws(() => Schema.decode(uses(2300, { k: "tuple", of: times(49, () => constant(50000)) }).encode()), { reason });
  const filled = (more: number): Schema => {
    const { root, definitions } = uses(1023, constant(1 << 20));
    const [r, n] = definitions as [Definition, Definition];
    const [c] = r.constructors;
    return new Schema(root, [{ ...r, constructors: [{ ...c!, name: "R".repeat(more) }] }, n]);
  };
  const room = 2 ** 30 - essenceSize(filled(0));
  assert.equal(Schema.decode(filled(room).encode()).definitions.length, 2);
  assert.throws(() => Schema.decode(filled(room + 1).encode()), { reason });
});
