/** Files of records. */
import { chunk, concat, Sink } from "./bytes.js";
import { crc32c } from "./crc.js";
import { Lost } from "./damage.js";
import { AshlarError } from "./errors.js";
import { Today } from "./evolution.js";
import { countRecords, FileRecord, Fold, Inflate } from "./fold.js";
import { BytesInput, NeedMore, StreamInput } from "./input.js";
import * as l from "./layout.js";
import { isCause, readFileHeader } from "./scan.js";
import { Schema } from "./schema.js";

/** How to read a file. */
export interface ReadOptions {
  /** What errors call the file. */
  name?: string;
  /** Expands a body of the compression `zlib` to so many bytes, or says why not. Streams have one by default. */
  inflate?: Inflate;
  /** Called with what is passed over because of damage. Without it, damage is thrown. */
  resync?: (lost: Lost) => void;
  /** The most bytes of a block: 64 MiB by default. */
  blockLimit?: number;
  /** The number of the first record: 0 by default. Blocks before it are checked, but not decoded. */
  start?: number;
  /** The type that all records are read as, whatever schemas they have. Without it, each is read by its own schema. */
  as?: Today;
}

const LIMIT = 67108864;

/**
 * The records of a file in memory. Throws `Damage` at the first thing that is wrong, unless there is a `resync`.
 * The iterator reads a block when its first record is asked for.
 */
export function* readBytes(bytes: Uint8Array, options: ReadOptions = {}): Generator<FileRecord, void, undefined> {
  const fold = new Fold(
    { inflate: options.inflate ?? null, resync: options.resync ?? null, blockLimit: options.blockLimit ?? LIMIT, start: options.start ?? 0, as: options.as ?? null },
    new BytesInput(options.name ?? "file", bytes),
  );
  while (fold.going) {
    yield* fold.step();
    if (fold.broken !== null) throw fold.broken;
  }
}

class NeedInflated { constructor(readonly body: Uint8Array, readonly size: number) {} }

/** (Some implementations ignore what follows the stream, so its checksum would not be at the end.) */
function ending(out: Uint8Array, body: Uint8Array): Uint8Array | string {
  let a = 1;
  let b = 0;
  for (let i = 0; i < out.length; i++) {
    a = (a + (out[i] as number)) % 65521;
    b = (b + a) % 65521;
  }
  const sum = [b >> 8, b & 255, a >> 8, a & 255];
  const last = body.subarray(body.length - 4);
  return sum.every((x, i) => x === last[i]) ? out : "bytes follow the compressed input";
}

async function inflated(body: Uint8Array, size: number): Promise<Uint8Array | string> {
  const stream = new Blob([body as BlobPart]).stream().pipeThrough(new (globalThis as unknown as
    { DecompressionStream: new (k: string) => ReadableWritablePair<Uint8Array, Uint8Array> }).DecompressionStream("deflate"));
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let n = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return ending(concat(parts), body);
      parts.push(value as Uint8Array);
      n += (value as Uint8Array).length;
      if (n > size) { await reader.cancel(); return `it expands to more than ${size} bytes`; }
    }
  } catch (e) {
    return `the compressed input is damaged: ${(e as Error).message}`;
  }
}

type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array> | ReadableStream<Uint8Array>;

/** The records of a file that arrives as a stream: a `ReadableStream`, or any iterable of `Uint8Array`. Takes constant memory. */
export async function* readStream(
  source: Source, options: ReadOptions = {},
): AsyncGenerator<FileRecord, void, undefined> {
  const input = new StreamInput(options.name ?? "stream");
  let known: { size: number; bytes: Uint8Array | string } | null = null;
  const later: Inflate = (body, size) => {
    if (known === null) throw new NeedInflated(body, size);
    return known.bytes;
  };
  const fold = new Fold(
    { inflate: options.inflate ?? later, resync: options.resync ?? null, blockLimit: options.blockLimit ?? LIMIT, start: options.start ?? 0, as: options.as ?? null }, input,
  );
  const pull = pulling(source);
  let tries = 0;
  try {
    while (fold.going) {
      let records: Iterable<FileRecord>;
      try {
        records = fold.step();
      } catch (e) {
        if (e instanceof NeedMore) {
          // What begins anew each time gets twice as much, so all of it is linear.
          const to = tries++ < 4 ? e.to : Math.max(e.to, input.end + input.held);
          while (input.end < to && !input.ended) {
            const more = await pull.next();
            if (more === null) input.ended = true; else input.push(more);
          }
          continue;
        }
        if (e instanceof NeedInflated) { known = { size: e.size, bytes: await inflated(e.body, e.size) }; continue; }
        throw e;
      }
      known = null;
      tries = 0;
      yield* records;
      if (fold.broken !== null) throw fold.broken;
    }
  } finally {
    await pull.stop();
  }
}

function pulling(source: Source): { next(): Promise<Uint8Array | null>; stop(): Promise<unknown> } {
  if ("getReader" in source) {
    const reader = source.getReader();
    return {
      next: async () => { const r = await reader.read(); return r.done ? null : chunk(r.value); },
      stop: async () => { try { await reader.cancel(); } finally { reader.releaseLock(); } },
    };
  }
  const it = (source as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]?.() ?? (source as Iterable<Uint8Array>)[Symbol.iterator]();
  return {
    next: async () => {
      const r = await it.next();
      return r.done === true ? null : chunk(r.value);
    },
    stop: async () => it.return?.(),
  };
}

/** How many records a file has, with those that are lost. Only the headers of blocks are read. Throws `Damage`. */
export function recordCount(bytes: Uint8Array, name = "file"): number {
  return countRecords(new BytesInput(name, bytes), LIMIT);
}

/** The schema in the header of a file, without its records. Throws an `AshlarError` if it cannot be read. */
export function fileSchema(bytes: Uint8Array): Schema {
  const h = readFileHeader(new BytesInput("file", bytes), 0);
  if (isCause(h)) throw new AshlarError(h.text);
  return Schema.decode(h.schema);
}

/** The fingerprint as headers have it: two words of 8 bytes, each with its least significant byte first. */
export function storedFingerprint(schema: Schema): Uint8Array {
  const f = schema.fingerprint();
  return concat([f.slice(0, 8).reverse(), f.slice(8).reverse()]);
}

/** How to write a file. */
export interface WriteOptions {
  /** Makes smaller bodies: that of `node:zlib`, for instance. If it throws, the writer cannot be used any more. */
  deflate?: (body: Uint8Array) => Uint8Array;
  /** How many bytes a block has at least, if records follow: 64 KiB by default, at most 16 MiB. */
  blockSize?: number;
  /** Eight bytes. They are random by default. */
  marker?: Uint8Array;
}

/** Eight bytes that no record contains by chance. (Node 18 has no global `crypto`. Nobody sees a marker before its file.) */
function randomMarker(): Uint8Array {
  const { crypto } = globalThis as unknown as { crypto?: { getRandomValues(a: Uint8Array): Uint8Array } };
  const marker = new Uint8Array(8);
  return crypto?.getRandomValues(marker) ?? marker.map(() => Math.floor(256 * Math.random()));
}

/** Writes a file. Each method returns the bytes that come next in it, which may be none. */
export class FileWriter {
  private readonly body = new Sink();
  private count = 0;
  private records = 0;
  private offset = 0;
  private readonly marker: Uint8Array;
  private entries: Array<readonly [number, number]> = [];
  private every = 1;
  private blocks = 0;

  constructor(readonly schema: Schema, private readonly options: WriteOptions = {}) {
    this.marker = options.marker ?? randomMarker();
    if (this.marker.length !== 8) throw new RangeError("a marker has 8 bytes");
  }

  /** The header. Write it first. Throws an `AshlarError` if the schema is larger than readers take. */
  begin(): Uint8Array {
    const compression = this.options.deflate === undefined ? new Uint8Array(0) : Uint8Array.from("zlib", (c) => c.charCodeAt(0));
    const schema = this.schema.encode();
    if (schema.length > l.HEADER_LIMIT) throw new AshlarError(`a schema of ${schema.length} bytes, where ${l.HEADER_LIMIT} are allowed`);
    const header = l.putFileHeader({ marker: this.marker, fingerprint: storedFingerprint(this.schema), compression, schema });
    this.offset = header.length;
    return header;
  }

  /**
   * Add a record. Throws an `EncodeError` if it is no value of the schema, and an `AshlarError` if it has more than
   * 64 MiB, which no reader takes by default. Then nothing was added.
   */
  write(value: unknown): Uint8Array {
    const before = this.body.length;
    try {
      this.schema.putValue(this.body, value);
    } catch (e) {
      this.body.truncate(before);
      throw e;
    }
    if (this.body.length === before) this.body.u8(0);
    const size = this.body.length - before;
    if (size > LIMIT) {
      this.body.truncate(before);
      throw new AshlarError(`a record of ${size} bytes, where ${LIMIT} are allowed`);
    }
    if (this.body.length <= LIMIT) return this.added();
    // Two blocks, as one would be too large to be read.
    const last = this.body.slice(before);
    this.body.truncate(before);
    const earlier = this.flush();
    this.body.bytes(last);
    return concat([earlier, this.added()]);
  }

  private added(): Uint8Array {
    this.count++;
    return this.body.length < Math.min(this.options.blockSize ?? 65536, 16777216) ? new Uint8Array(0) : this.flush();
  }

  /** The block of the records that were added since the last one. */
  flush(): Uint8Array {
    if (this.count === 0) return new Uint8Array(0);
    const whole = this.body.slice();
    const small = this.options.deflate?.(whole);
    const compressed = small !== undefined && small.length < whole.length;
    if (this.blocks++ % this.every === 0) this.entries.push([this.offset, this.records]);
    if (this.entries.length > 65536) {
      this.entries = this.entries.filter((_, i) => i % 2 === 0);
      this.every *= 2;
    }
    const block = this.block(l.RECORDS, compressed ? small : whole, whole.length, compressed, this.count);
    this.records += this.count;
    this.count = 0;
    this.body.truncate(0);
    return block;
  }

  /** The last block, and the index. */
  end(): Uint8Array {
    const last = this.flush();
    const index = l.putIndex(this.entries, this.records, this.offset);
    return concat([last, this.block(l.INDEX, index, index.length, false, 0)]);
  }

  private block(kind: number, body: Uint8Array, expanded: number, compressed: boolean, records: number): Uint8Array {
    const header = l.putBlockHeader({
      marker: this.marker, kind, compressed, stored: body.length, expanded, records, first: this.records,
      fingerprint: storedFingerprint(this.schema), schemaAt: 0, offset: this.offset, checksum: crc32c(body),
    });
    this.offset += header.length + body.length;
    return concat([header, body]);
  }
}

/** A whole file of records. */
export function writeBytes(schema: Schema, values: Iterable<unknown>, options: WriteOptions = {}): Uint8Array {
  const writer = new FileWriter(schema, options);
  const parts = [writer.begin()];
  for (const v of values) parts.push(writer.write(v));
  parts.push(writer.end());
  return concat(parts);
}
