// The cases that all implementations of the formats have in common.
import test from "node:test";
import assert from "node:assert/strict";
import { fromHex, toHex } from "../src/bytes.js";
import { DecodeError } from "../src/errors.js";
import { Schema } from "../src/schema.js";
import { State } from "../src/state.js";
import { cases } from "./cases.js";

interface Refused { offset: number; path: string; message: string }

function refusal(f: () => unknown): Refused {
  try {
    f();
  } catch (e) {
    if (e instanceof DecodeError) return { offset: e.offset, path: e.path, message: e.message };
    throw e;
  }
  throw new Error("not refused");
}

test("values", () => {
  for (const c of cases("values")) {
    const schema = Schema.decode(fromHex(c["schema"] as string));
    assert.equal(schema.fingerprintHex(), c["fingerprint"], `${c["name"]}: fingerprint`);
    const bytes = fromHex(c["bytes"] as string);
    if (c["refused"] !== undefined) {
      assert.deepEqual(refusal(() => schema.decodeValue(bytes)), c["refused"], c["name"] as string);
    } else {
      const value = schema.decodeValue(bytes);
      assert.equal(schema.toJsonLine(value), c["json"], c["name"] as string);
      assert.equal(toHex(schema.encodeValue(value)), c["bytes"], c["name"] as string);
      assert.deepEqual(schema.readExactly(new State(bytes, 0, bytes.length)), value, c["name"] as string);
    }
  }
});

test("schemas", () => {
  for (const c of cases("schemas")) {
    const bytes = fromHex(c["bytes"] as string);
    if (c["refused"] !== undefined) {
      assert.deepEqual(refusal(() => Schema.decode(bytes)), c["refused"], c["name"] as string);
    } else {
      const schema = Schema.decode(bytes);
      assert.equal(toHex(schema.encode()), c["bytes"], c["name"] as string);
      assert.equal(schema.fingerprintHex(), c["fingerprint"], c["name"] as string);
      assert.deepEqual(JSON.parse(schema.toJson()), c["json"], c["name"] as string);
      assert.equal(toHex(Schema.fromJson(schema.toJson()).encode()), c["bytes"], c["name"] as string);
    }
  }
});
