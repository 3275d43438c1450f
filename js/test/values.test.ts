import test from "node:test";
import assert from "node:assert/strict";
import { fromHex, toHex } from "../src/bytes.js";
import { DecodeError, EncodeError } from "../src/errors.js";
import { md5 } from "../src/md5.js";
import { crc32c } from "../src/crc.js";
import { Schema } from "../src/schema.js";
import { leaf } from "../src/shapes.js";
import { cases } from "./cases.js";

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
  assert.equal(toHex(md5(bytes(""))), "d41d8cd98f00b204e9800998ecf8427e");
  assert.equal(toHex(md5(bytes("a".repeat(80)))), "b15af9cdabbaea0516866a33d8fd0f98");
  assert.equal(crc32c(bytes("123456789")), 0xe3069283);
});

test("values that are none of the schema", () => {
  const refused = (s: Schema, v: unknown): void => assert.throws(() => s.encodeValue(v), EncodeError);
  refused(new Schema(leaf("word8"), []), 256);
  refused(new Schema(leaf("word8"), []), "1");
  refused(new Schema(leaf("utf8"), []), "\ud800");
  refused(new Schema({ k: "set", of: leaf("word8"), compact: false }, []), [2, 1]);
  refused(new Schema({ k: "tuple", of: [leaf("bool"), leaf("bool")] }, []), [true]);
});
