// The cases that all implementations of the formats have in common.
import test from "node:test";
import assert from "node:assert/strict";
import { fromHex, toHex } from "../src/bytes.js";
import { DecodeError } from "../src/errors.js";
import { evolve, EvolutionError, Values } from "../src/evolution.js";
import { Exact } from "../src/exact.js";
import { Rule } from "../src/rules.js";
import { Schema } from "../src/schema.js";
import { State } from "../src/state.js";
import { Definition } from "../src/shapes.js";
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

/** A rule of a case. Its default is that of the first field that it is about. */
function ruleOf(schema: Schema, r: Record<string, unknown>): Rule {
  const prefix = typeof r["constructor"] === "string" ? `${r["constructor"]}.` : "";
  const kind = r["rule"] as string;
  if (kind === "renamed") return { rule: kind, old: `${prefix}${r["old"]}`, new: `${prefix}${r["new"]}` };
  if (kind === "dropped") return { rule: kind, field: `${prefix}${r["field"]}` };
  if (kind !== "added") return r as unknown as Rule;
  const d = schema.definitions.find((x) => x.name === r["type"]) as Definition;
  const fields = d.constructors.filter((c) => prefix === "" || c.name === r["constructor"]).flatMap((c) => c.fields);
  const field = fields.find((f) => f.name === r["field"]);
  const bytes = fromHex(r["defaultBytes"] as string);
  const value = field === undefined ? null : new Exact(field.shape, schema.facts).read(new State(bytes, 0, bytes.length));
  return { rule: kind, field: `${prefix}${r["field"]}`, default: value };
}

test("evolution", () => {
  for (const c of cases("evolution")) {
    const name = c["name"] as string;
    const schema = Schema.decode(fromHex(c["to"] as string));
    const evolution: Record<string, Rule[]> = {};
    for (const r of c["rules"] as Array<Record<string, unknown>>) {
      (evolution[r["type"] as string] = evolution[r["type"] as string] ?? []).push(ruleOf(schema, r));
    }
    let values: Values;
    try {
      values = evolve(Schema.decode(fromHex(c["from"] as string)), { schema, evolution, skipping: c["skipping"] as boolean });
    } catch (e) {
      if (!(e instanceof EvolutionError)) throw e;
      assert.equal(e.message, c["plan"], name);
      continue;
    }
    assert.equal(c["plan"], null, name);
    for (const v of c["values"] as Array<Record<string, unknown>>) {
      const bytes = fromHex(v["bytes"] as string);
      if (v["refused"] !== undefined) assert.deepEqual(refusal(() => values.decodeValue(bytes)), v["refused"], `${name}: ${v["bytes"]}`);
      else assert.equal(schema.toJsonLine(values.decodeValue(bytes)), v["json"], `${name}: ${v["bytes"]}`);
    }
  }
});
