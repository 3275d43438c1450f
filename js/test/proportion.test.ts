// Work is in proportion to schemas and to what they say. Each of these tests takes hours or all memory where it is not.
import test from "node:test";
import assert from "node:assert/strict";
import { evolve } from "../src/evolution.js";
import { Schema } from "../src/schema.js";
import { Definition, Field, leaf, Shape } from "../src/shapes.js";

const bool = leaf("bool");
const to = (n: number): Shape => ({ k: "reference", to: n });
const maybe = (of: Shape): Shape => ({ k: "maybe", of });
const times = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));
const record = (name: string, fields: Field[]): Definition =>
  ({ name, form: "record", order: "byParts", constructors: [{ name, retired: false, fields }] });

test("fields that are left out before one that moves", () => {
  const kept = ["a", "b"].map((name): Field => ({ name, shape: leaf("word8") }));
  const old = new Schema(to(0), [record("R", [...times(300000, (i): Field => ({ name: `x${i}`, shape: leaf("unit") })), ...kept])]);
  const schema = new Schema(to(0), [record("R", [...kept].reverse())]);
  assert.deepEqual(evolve(old, { schema, skipping: true }).decodeValue(Uint8Array.of(1, 2)), { a: 1, b: 2 });
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
