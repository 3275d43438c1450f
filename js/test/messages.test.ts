import test from "node:test";
import assert from "node:assert/strict";
import { fromHex, toHex } from "../src/bytes.js";
import { END, frameBytes, helloBytes, Incoming, MessageError, verdictBytes } from "../src/messages.js";
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
