import test from "node:test";
import assert from "node:assert/strict";
import { concat, fromHex, sameBytes } from "../src/bytes.js";
import { Damage, Lost } from "../src/damage.js";
import { AshlarError } from "../src/errors.js";
import { Today } from "../src/evolution.js";
import { FileWriter, readBytes, readStream, ReadOptions, recordCount, writeBytes } from "../src/files.js";
import { Fold } from "../src/fold.js";
import { BytesInput, NeedMore, StreamInput } from "../src/input.js";
import { Schema } from "../src/schema.js";
import { Field, leaf } from "../src/shapes.js";
import { deflate, inflate } from "../src/zlib.js";
import { cases } from "./cases.js";
import { Random } from "./random.js";

type Read = { lines: unknown[]; end: string | null };
const reason = (t: string): string => t.replace(/(cannot be expanded: ).*/, "$1");

async function* chunks(bytes: Uint8Array, n: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += n) yield bytes.slice(i, i + n);
}

async function readAll(bytes: Uint8Array, streamed: boolean, options: ReadOptions): Promise<[Array<[number, string]>, string | null]> {
  const lines: Array<[number, string]> = [];
  try {
    for await (const r of streamed ? readStream(chunks(bytes, 37), options) : readBytes(bytes, { inflate, ...options })) {
      lines.push([r.number, r.schema.toJsonLine(r.value)]);
    }
  } catch (e) {
    if (!(e instanceof Damage)) throw e;
    return [lines, reason(e.message)];
  }
  return [lines, null];
}

for (const streamed of [false, true]) {
  test(`files, ${streamed ? "as streams" : "in memory"}`, async () => {
    for (const c of cases("files")) {
      const name = `${c["name"]}`;
      const bytes = fromHex(c["file"] as string);
      const read = c["read"] as Read;
      const [lines, end] = await readAll(bytes, streamed, { name: "FILE" });
      assert.deepEqual([lines.map(([, x]) => x), end], [read.lines, read.end === null ? null : reason(read.end)], name);
      const resync = c["resync"] as { lines: unknown[]; damages: string[] };
      const damages: string[] = [];
      const [all, stop] = await readAll(bytes, streamed, { name: "FILE", resync: (x) => damages.push(reason(x.damage.message)) });
      if (stop !== null) damages.push(stop);
      assert.deepEqual([all, damages], [resync.lines, resync.damages.map(reason)], `${name}: resync`);
    }
  });
}

test("counts", () => {
  for (const c of cases("files")) {
    let n: number | null = null;
    try { n = recordCount(fromHex(c["file"] as string)); } catch { /* It cannot be opened. */ }
    assert.equal(n, c["count"], c["name"] as string);
  }
});

// A slice of Node's Buffer is no copy: a number that is read twice came out with its bytes reversed.
test("values of compressed blocks are copies of their own", () => {
  const schema = new Schema(leaf("bytes"), []);
  const bytes = writeBytes(schema, Array.from({ length: 50 }, () => new Uint8Array(20)), { deflate });
  for (const r of readBytes(bytes, { inflate })) assert.equal((r.value as Uint8Array).constructor, Uint8Array);
});

test("what is written is read, and each flipped bit is damage or harmless", async () => {
  const schema = new Schema({ k: "list", of: leaf("word16"), compact: false }, []);
  const values = Array.from({ length: 40 }, (_, i) => Array.from({ length: i % 5 }, (_x, j) => i * j));
  for (const options of [{}, { deflate, blockSize: 200 }]) {
    const bytes = writeBytes(schema, values, options);
    assert.deepEqual([...readBytes(bytes, { inflate })].map((r) => r.value), values);
    for (const start of [0, 1, 17, 39, 40]) {
      const rest = [...readBytes(bytes, { inflate, start })];
      assert.deepEqual(rest.map((r) => [r.number, r.value]), values.map((v, i) => [i, v]).slice(start));
    }
    for (let bit = 0; bit < bytes.length * 8; bit += 3) {
      const other = bytes.slice();
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
      const [lines, end] = await readAll(other, false, {});
      const same = JSON.stringify(lines.map(([, x]) => x)) === JSON.stringify(values.slice(0, lines.length).map((v) => schema.toJsonLine(v)));
      assert.ok(same && (end !== null || lines.length === values.length), `bit ${bit}`);
    }
  }
});

test("streams of all kinds, and what becomes of them", async () => {
  const file = writeBytes(new Schema(leaf("utf8"), []), Array.from({ length: 300 }, (_, i) => `x${i}`), { blockSize: 500 });
  const count = async (source: Parameters<typeof readStream>[0], most = Infinity): Promise<number> => {
    let n = 0;
    for await (const r of readStream(source)) if (++n >= most || r.number < 0) break;
    return n;
  };
  assert.equal(await count([file]), 300);
  assert.equal(await count(new Set([file.subarray(0, 100), file.subarray(100)])), 300);
  assert.equal(await count(chunks(file, 9)), 300);
  const even = file.slice(0, file.length & ~1).buffer;
  const wrong = [["abc"], [new Uint16Array(even)], [new DataView(even)], [even], [5]];
  const streamed = (chunks: unknown[]): unknown =>
    new ReadableStream({ start(c) { for (const x of chunks) c.enqueue(x as Uint8Array); c.close(); } });
  for (const x of [file, ...wrong, ...wrong.map(streamed)]) {
    await assert.rejects(count(x as Uint8Array[]), { name: "TypeError", message: /^an iterable of Uint8Array is needed/ });
  }
  let left = 0;
  const stream = (bytes: Uint8Array): ReadableStream<Uint8Array> => {
    let at = 0;
    return new ReadableStream<Uint8Array>({
      pull(c) { if (at >= bytes.length) c.close(); else c.enqueue(bytes.slice(at, at += 100)); },
      cancel() { left++; },
    });
  };
  const [all, some, damaged] = [stream(file), stream(file), stream(file.slice(0, -200))];
  assert.equal(await count(all), 300);
  assert.equal(await count(some, 3), 3);
  await assert.rejects(count(damaged), Damage);
  assert.deepEqual([all.locked, some.locked, damaged.locked], [false, false, false]);
  assert.ok(left >= 1);
});

test("bytes that arrive are those of a file in memory, and are copied no more than four times", () => {
  const random = new Random(61);
  const file = Uint8Array.from({ length: 4e6 }, (_, i) => (i * 2654435761) >>> 13);
  for (let i = 0; i < 12; i++) {
    const whole = new BytesInput("", file);
    const input = new StreamInput("");
    const [most, step] = [random.of([5000, 70000, 4e6]), random.of([3000, 90000, 1e6])];
    let copied = 0;
    const set = Uint8Array.prototype.set;
    Uint8Array.prototype.set = function (this: Uint8Array, from: ArrayLike<number>, at?: number): void {
      copied += from.length;
      set.call(this, from, at);
    };
    try {
      let at = 0;
      for (let sent = 0; sent < file.length || !input.ended; ) {
        const [n, ahead] = [1 + random.below(step), random.below(10) === 0 ? random.below(step) : 0];
        try {
          assert.ok(sameBytes(input.fetch(at, n), whole.fetch(at, n)));
          assert.ok(input.held <= Math.max(0, input.end - at) && input.end === sent);
          at += n + ahead;
          input.forget(at);
          assert.equal(input.fetch(at - 1, 1).length, 0);
        } catch (e) {
          if (!(e instanceof NeedMore)) throw e;
          const next = file.subarray(sent, sent + 1 + random.below(most));
          if (next.length === 0) input.ended = true;
          input.push(next);
          sent += next.length;
        }
        if (at > file.length) break;
      }
    } finally {
      Uint8Array.prototype.set = set;
    }
    assert.ok(copied <= 4 * file.length, `${copied} bytes were copied`);
  }
});

test("records that do not fit one block get two, and those that fit none are refused", () => {
  const schema = new Schema(leaf("bytes"), []);
  const sizes = [1, 67108000, 2, 3];
  const bytes = writeBytes(schema, sizes.map((n) => new Uint8Array(n)), { blockSize: 1e9 });
  assert.deepEqual([...readBytes(bytes)].map((r) => (r.value as Uint8Array).length), sizes);
  const writer = new FileWriter(schema);
  const parts = [writer.begin(), writer.write(new Uint8Array(4))];
  assert.throws(() => writer.write(new Uint8Array(67108864)), AshlarError);
  parts.push(writer.end());
  assert.deepEqual([...readBytes(concat(parts))].map((r) => (r.value as Uint8Array).length), [4]);
});

const order = (...fields: Field[]): Schema => new Schema({ k: "reference", to: 0 },
  [{ name: "Order", form: "record", order: "unknown", constructors: [{ name: "Order", retired: false, fields }] }]);

test("a file that goes on with another schema is read as one type", async () => {
  const count = { name: "count", shape: leaf("word8") };
  const old = order(count);
  const today: Today = {
    schema: order({ name: "channel", shape: leaf("utf8") }, { name: "count", shape: leaf("word32") }),
    evolution: { Order: [{ rule: "added", field: "channel", default: "web" }] },
  };
  const bytes = concat([writeBytes(old, [{ count: 1 }, { count: 2 }]), writeBytes(today.schema, [{ channel: "shop", count: 300 }])]);
  const expected = [[0, { channel: "web", count: 1 }], [1, { channel: "web", count: 2 }], [2, { channel: "shop", count: 300 }]];
  assert.deepEqual([...readBytes(bytes, { as: today })].map((r) => [r.number, r.value]), expected);
  const found: unknown[] = [];
  for await (const r of readStream(chunks(bytes, 11), { as: today })) found.push([r.number, r.value]);
  assert.deepEqual(found, expected);
  assert.throws(() => [...readBytes(bytes, { as: { schema: today.schema } })],
    /another type: Order\.channel: the field is new; give it a default with added @"channel" in the evolution of Order/);
  const dropping: Today = { schema: old, skipping: true };
  assert.throws(() => [...readBytes(bytes, { as: dropping })], /cannot become/);
  // Records that have no bytes have one that is 0.
  const empty = order();
  const filled = { schema: order(count), evolution: { Order: [{ rule: "added" as const, field: "count", default: 7 }] } };
  assert.deepEqual([...readBytes(writeBytes(empty, [{}, {}]), { as: filled })].map((r) => r.value), [{ count: 7 }, { count: 7 }]);
});

test("a record that the type of today refuses is lost alone", async () => {
  const number = [{ name: "n", shape: leaf("word8") }];
  const numbers = (...names: string[]): Schema => new Schema({ k: "reference", to: 0 }, [
    { name: "N", form: "sum", order: "unknown", constructors: names.map((name) => ({ name, retired: false, fields: number })) },
  ]);
  const values = Array.from({ length: 3000 }, (_, n) => ({ tag: [0, 7, 8, 2999].includes(n) ? "Old" : "New", value: { n: n % 256 } }));
  const bytes = writeBytes(numbers("Old", "New"), values, { blockSize: 1e6 });
  const as: Today = { schema: numbers("New"), evolution: { N: [{ rule: "droppedConstructor", name: "Old" }] } };
  const lost: unknown[] = [];
  const options: ReadOptions = { as, resync: (x) => lost.push([x.damage.record, x.to, x.next, x.other, x.damage.cause.kind]) };
  const at = new FileWriter(numbers("Old", "New")).begin().length;
  const said = [0, 7, 8, 2999].map((n) => [n, at, n + 1, false, "BadRecord"]);
  const kept = values.map((v, n) => [n, v.value] as const).filter(([n]) => ![0, 7, 8, 2999].includes(n));
  assert.deepEqual([...readBytes(bytes, options)].map((r) => [r.number, (r.value as { value: unknown }).value]), kept);
  assert.deepEqual(lost.splice(0), said);
  const found: unknown[] = [];
  for await (const r of readStream(chunks(bytes, 999), options)) found.push([r.number, (r.value as { value: unknown }).value]);
  assert.deepEqual([found, lost], [kept, said]);
  assert.throws(() => [...readBytes(bytes, { as })], /from record 0 on: at byte 0: .*constructor Old/);
  // Those before the first record that is asked for are neither reported nor the end.
  for (const start of [1, 8, 9, 2000, 3000]) {
    lost.length = 0;
    const numbers = [...readBytes(bytes, { ...options, start })].map((r) => r.number);
    assert.deepEqual([numbers, lost], [kept.map(([n]) => n).filter((n) => n >= start), said.filter(([n]) => (n as number) >= start)]);
  }
  const strict = readBytes(bytes, { as, start: 9 });
  for (let n = 9; n < 2999; n++) assert.equal(strict.next().value?.number, n);
  assert.throws(() => strict.next(), /from record 2999 on: .*constructor Old/);
});

/** What reading gives that passes over damage: in memory, or as a stream with the most bytes that it held. */
function passing(bytes: Uint8Array, size: number | null, options: ReadOptions = {}): { found: unknown[]; held: number } {
  const found: unknown[] = [];
  const resync = (x: Lost): unknown => found.push([x.damage.message, x.to, x.next, x.other]);
  const input = size === null ? new BytesInput("FILE", bytes) : new StreamInput("FILE");
  const fold = new Fold({ inflate, resync, blockLimit: 65536, start: 0, as: null, ...options }, input);
  let held = 0;
  let sent = 0;
  while (fold.going) {
    try {
      for (const r of fold.step()) found.push([r.number, r.value]);
      if (fold.broken !== null) throw fold.broken;
    } catch (e) {
      if (e instanceof Damage) return { found: [...found, e.message], held };
      if (!(e instanceof NeedMore) || !(input instanceof StreamInput)) throw e;
      if (sent >= bytes.length) input.ended = true;
      input.push(bytes.subarray(sent, sent += size as number));
      held = Math.max(held, input.held);
    }
  }
  return { found, held };
}

const byteStrings = new Schema(leaf("bytes"), []);
const wholeNumbers = new Schema(leaf("word32"), []);

test("a stream is read in constant memory after damage", () => {
  const file = (count: number, blockSize = 30000): Uint8Array =>
    writeBytes(byteStrings, Array.from({ length: count }, (_, i) => new Uint8Array(1000).fill(i)), { blockSize });
  const small = file(10);
  const large = file(3000, 3e6);
  const other = writeBytes(wholeNumbers, Array.from({ length: 500000 }, (_, i) => i), { blockSize: 30000 });
  const junk = new Uint8Array(3e6).fill(137);
  const damaged: Record<string, Uint8Array[]> = {
    "no block": [small, junk, small],
    "no block up to the end": [small, junk],
    "a block that is too large": [small, large, small],
    "a block that is too large and cut off": [small, large.slice(0, -1e6)],
    "a file of another type": [small, other, small],
    "a damaged file of another type": [small, other.slice(0, 1e6), junk, other.slice(1e6), small],
  };
  for (const [name, parts] of Object.entries(damaged)) {
    const bytes = concat(parts);
    const options = { as: { schema: byteStrings } };
    const { found, held } = passing(bytes, 1000, options);
    assert.deepEqual(found, passing(bytes, null, options).found, name);
    assert.ok(held < 300000, `${name}: ${held} bytes were held`);
  }
});

test("reading ends where the file does, also in a block that is too large", () => {
  const writer = new FileWriter(byteStrings, { blockSize: 1 });
  const whole = concat([writer.begin(), ...[5, 7, 300].map((n) => writer.write(new Uint8Array(n)))]);
  const at = whole.length - 380;
  for (let size = at + 72; size <= whole.length; size += 11) {
    const bytes = whole.subarray(0, size);
    const damage = `FILE: at byte ${at} (block 2), from record 2 on: a block of 308 bytes, where 307 are allowed`;
    const expected = [[0, new Uint8Array(5)], [1, new Uint8Array(7)], [damage, size, null, false]];
    for (const arriving of [null, 1, 50]) {
      assert.deepEqual(passing(bytes, arriving, { blockLimit: 307 }).found, expected, `${size} bytes`);
    }
  }
});

test("damage in a stream is damage in memory, however the bytes arrive", () => {
  const random = new Random(71);
  const file = (): Uint8Array => random.below(4) === 0
    ? writeBytes(wholeNumbers, random.list(200, (i) => i), { blockSize: 300 })
    : writeBytes(byteStrings, random.list(9, () => random.below(4) === 0 ? file() : new Uint8Array(random.below(200))), { blockSize: 300, deflate });
  for (let i = 0; i < 400; i++) {
    const bytes = concat(random.list(3, file));
    for (let n = random.below(4); n > 0 && bytes.length > 0; n--) {
      const at = random.below(bytes.length);
      if (random.below(2) === 0) bytes[at] = random.below(256);
      else bytes.copyWithin(at, at + random.below(100));
    }
    const cut = bytes.subarray(0, bytes.length - (random.below(3) === 0 ? random.below(bytes.length + 1) : 0));
    const options: ReadOptions = { blockLimit: random.of([300, 1000, 65536]), ...random.of([{}, { as: { schema: byteStrings } }]) };
    const expected = passing(cut, null, options).found;
    for (const size of [1 + random.below(90), 1 + random.below(3000)]) {
      assert.deepEqual(passing(cut, size, options).found, expected, `file ${i}, ${size} bytes at a time`);
    }
  }
});
