import test from "node:test";
import assert from "node:assert/strict";
import { fromHex, toHex } from "../src/bytes.js";
import { Connection, END, frameBytes, helloBytes, Incoming, MessageError, verdictBytes } from "../src/messages.js";
import { concat } from "../src/bytes.js";
import { Schema } from "../src/schema.js";
import { leaf, Shape } from "../src/shapes.js";
import { cases } from "./cases.js";

async function* chunks(bytes: Uint8Array, n: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += n) yield bytes.slice(i, i + n);
}

for (const size of [1, 7, 100000]) {
  test(`messages, in chunks of ${size} bytes`, async () => {
    for (const c of cases("messages")) {
      const incoming = new Incoming(chunks(fromHex(c["stream"] as string), size), c["limit"] as number);
      const lines: string[] = [];
      const values: unknown[] = [];
      let error: string | null = null;
      try {
        const schema = await incoming.handshake();
        for await (const v of incoming.messages()) { values.push(v); lines.push(schema.toJsonLine(v)); }
        const { checksums } = incoming;
        const again = [helloBytes(schema, checksums), verdictBytes(null), ...values.map((v) => frameBytes(schema.encodeValue(v), checksums)), END];
        assert.ok((c["stream"] as string).startsWith(toHex(concat(again))), `${c["name"]}: written`);
      } catch (e) {
        if (!(e instanceof MessageError)) throw e;
        error = e.message;
      }
      // What another protocol has begun with depends on what has arrived.
      const start = (t: string | null): string | null => t === null || size > 100 ? t : t.replace(/(another protocol: ).*/, "$1");
      assert.deepEqual([lines, start(error)], [c["lines"], start(c["error"] as string | null)], c["name"] as string);
    }
  });
}

test("messages are read as another type", async () => {
  const schema = (of: Shape): Schema => new Schema(of, []);
  const sent = schema(leaf("word8"));
  const stream = concat([helloBytes(sent, true), verdictBytes(null), frameBytes(sent.encodeValue(7), true), END]);
  const incoming = new Incoming(chunks(stream, 5), undefined, { schema: schema({ k: "maybe", of: leaf("int64") }) });
  await incoming.handshake();
  const found: unknown[] = [];
  for await (const v of incoming.messages()) found.push(v);
  assert.deepEqual(found, [7n]);
  const other = new Incoming(chunks(stream, 5), undefined, { schema: schema(leaf("bool")) });
  const why = await other.handshake().then(() => "", (e: Error) => e.message);
  assert.ok(/cannot be read: value: Word8 cannot become Bool; /.test(why), why);
});

const { Buffer } = globalThis as unknown as { Buffer: { from(b: Uint8Array): Uint8Array } };

/** As a socket of Node gives them: `slice` of a Buffer is no copy, and it lies somewhere in its memory. */
async function* buffers(bytes: Uint8Array, n: number): AsyncGenerator<Uint8Array> {
  const memory = Buffer.from(concat([new Uint8Array(3), bytes]));
  for (let i = 3; i < memory.length; i += n) yield memory.subarray(i, i + n);
}

test("messages in Buffers", async () => {
  const schema = new Schema(leaf("bytes"), []);
  const message = Uint8Array.of(1, 2, 3);
  for (const size of [1, 40, 1000]) {
    const stream = concat([helloBytes(schema, true), verdictBytes(null), frameBytes(schema.encodeValue(message), true), END]);
    const written: Uint8Array[] = [];
    const connection = await Connection.open(schema, buffers(stream, size), (b) => { written.push(b); });
    const found: unknown[] = [];
    for await (const v of connection.messages()) found.push(v);
    assert.deepEqual(found, [message]);
  }
});

test("values in Buffers are copies", () => {
  const schema = new Schema(leaf("bytes"), []);
  const memory = Buffer.from(schema.encodeValue(Uint8Array.of(1, 2, 3)));
  const found = schema.decodeValue(memory);
  memory.fill(0);
  assert.deepEqual(found, Uint8Array.of(1, 2, 3));
});

test("after a failed write, or a failed message, nothing is sent", async () => {
  const schema = new Schema(leaf("word8"), []);
  const opening = [helloBytes(schema, false), verdictBytes(null)];
  let broken = false;
  const connection = await Connection.open(schema, chunks(concat(opening), 9), () => { if (broken) throw new Error("cut off"); });
  broken = true;
  await assert.rejects(connection.send(1), /cut off/);
  broken = false;
  await assert.rejects(connection.send(2), /cut off/);
  await assert.rejects(connection.end(), /cut off/);
  await assert.rejects(connection.messages().next(), /cut off/);
  const other = await Connection.open(schema, chunks(concat([...opening, Uint8Array.of(9, 0, 0, 0)]), 9), () => undefined);
  await assert.rejects(other.messages().next(), MessageError);
  await assert.rejects(other.send(1), MessageError);
});
