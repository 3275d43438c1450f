/** Typed messages over a stream of bytes. A direction is a hello, a verdict, any number of messages, and an end. */
import { chunk, concat, Sink } from "./bytes.js";
import { crc32c } from "./crc.js";
import { AshlarError, DecodeError, shown } from "./errors.js";
import { Today, Values, valuesOf } from "./evolution.js";
import { storedFingerprint } from "./files.js";
import { Schema } from "./schema.js";

const MAGIC = Uint8Array.of(0x89, 0x41, 0x53, 0x48, 0x4d, 0x53, 0x47, 0x0a);
const LIMIT = 67108864;

/** Why a connection failed. */
export class MessageError extends AshlarError {
  override name = "MessageError";
  constructor(readonly kind: string, text: string) {
    super(`Ashlar.Network: ${text}`);
  }
}

/** The bytes of a hello. */
export function helloBytes(schema: Schema, checksums: boolean): Uint8Array {
  const out = new Sink();
  const bytes = schema.encode();
  out.bytes(MAGIC); out.u16(1); out.u16(Number(checksums));
  out.bytes(storedFingerprint(schema)); out.u32(bytes.length); out.bytes(bytes);
  out.u32(crc32c(out.slice()));
  return out.slice();
}

/** The bytes of a verdict: that this end can read what the peer sends, or why not. */
export function verdictBytes(why: string | null): Uint8Array {
  const out = new Sink();
  const text = why === null ? new Uint8Array(0) : new TextEncoder().encode(why === "" ? "?" : why).slice(0, 4096);
  out.u32(text.length);
  out.bytes(text);
  return out.slice();
}

/** The bytes of a message with what stands around it. Throws a `MessageError` for 2 GiB or more. */
export function frameBytes(message: Uint8Array, checksums: boolean): Uint8Array {
  if (message.length >= 0x80000000) {
    throw new MessageError("TooLong", `a message of ${message.length} bytes, and the limit is ${0x7fffffff}`);
  }
  const out = new Sink();
  out.u32(message.length);
  out.bytes(message);
  if (checksums) out.u32(crc32c(out.slice()));
  return out.slice();
}

/** The end of a direction. */
export const END = Uint8Array.of(255, 255, 255, 255);

/** Reads one direction of a connection. After a `MessageError`, each later use throws the same. */
export class Incoming {
  /** The schema of the messages, once the hello has been read: that of the type that they are read as, if there is one. */
  schema: Schema | null = null;
  private values: Values | null = null;
  /** Do messages have checksums? */
  checksums = false;
  /** Has the peer said that there are no more messages? */
  ended = false;
  /** What has arrived and was not taken, between two indices. */
  private data = new Uint8Array(1024);
  private from = 0;
  private to = 0;
  /** What each later use throws. */
  failed: unknown = null;
  private readonly it: AsyncIterator<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>, private readonly limit = LIMIT, private readonly as: Today | null = null) {
    this.it = source[Symbol.asyncIterator]();
  }

  private fail(kind: string, text: string): MessageError {
    const error = new MessageError(kind, text);
    this.failed = error;
    return error;
  }

  private push(more: Uint8Array): void {
    const held = this.to - this.from;
    if (this.to + more.length > this.data.length) {
      const room = new Uint8Array(Math.max(2 * held, held + more.length, 1024));
      room.set(this.data.subarray(this.from, this.to));
      [this.data, this.from, this.to] = [room, 0, held];
    }
    this.data.set(more, this.to);
    this.to += more.length;
  }

  /** The next n bytes, which stay there up to the next use. Memory grows with the bytes that arrive, and not with those that are announced. */
  private async need(n: number): Promise<Uint8Array> {
    if (this.failed !== null) throw this.failed;
    while (this.to - this.from < n) {
      const more = await this.it.next();
      if (more.done === true) {
        const held = this.to - this.from;
        throw this.fail("PeerClosed", held > 0
          ? `the peer closed the connection in the middle of a message, after ${held} bytes`
          : "the peer closed the connection without an end of its messages");
      }
      this.push(chunk(more.value));
    }
    return this.data.subarray(this.from, this.from + n);
  }

  private async take(n: number): Promise<Uint8Array> {
    const found = (await this.need(n)).slice();
    this.from += n;
    if (this.from === this.to) {
      // What a large message took is not kept.
      if (this.data.length > 65536) this.data = new Uint8Array(1024);
      this.from = this.to = 0;
    }
    return found;
  }

  private invalid(why: string): MessageError {
    return this.fail("InvalidHandshake", `the peer's handshake is invalid: ${why}`);
  }

  /** Read the hello. Returns why its messages cannot be read, or `null`. Throws a `MessageError` if it is no hello. */
  async hello(): Promise<string | null> {
    for (let i = 0; i < 8; i++) {
      const b = await this.take(1);
      if (b[0] !== MAGIC[i]) {
        const rest = this.data.subarray(this.from, Math.min(this.to, this.from + 16 - i - 1));
        throw this.fail("OtherProtocol", `the peer speaks another protocol: ${shown(concat([MAGIC.slice(0, i), b, rest]))}`);
      }
    }
    const version = await this.take(2);
    const n = (version[0] as number) + 256 * (version[1] as number);
    if (n !== 1) throw this.fail("UnknownVersion", `the peer's handshake has the unknown version ${n}`);
    const rest = await this.take(22);
    const view = new DataView(rest.buffer);
    const flags = view.getUint16(0, true);
    const size = view.getUint32(18, true);
    if (flags > 1) throw this.invalid(`it has the unknown flags ${flags}`);
    if (size > 1048576) throw this.invalid(`its schema has ${size} bytes`);
    const schema = await this.take(size);
    const sum = await this.take(4);
    if (new DataView(sum.buffer).getUint32(0, true) !== crc32c(concat([MAGIC, version, rest, schema]))) {
      throw this.invalid("its checksum is wrong");
    }
    this.checksums = flags === 1;
    const found = valuesOf(schema, this.as);
    if (typeof found === "string") return found;
    this.values = found.values;
    this.schema = this.as?.schema ?? found.schema;
    return null;
  }

  /** Read the verdict: why the peer cannot read what it gets, or `null`. */
  async verdict(): Promise<string | null> {
    const size = await this.take(4);
    const n = new DataView(size.buffer).getUint32(0, true);
    if (n > 4096) throw this.invalid("its verdict is too long");
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await this.take(n));
    return n === 0 ? null : text.replace(/[^\n\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/gu, "?");
  }

  /** Read hello and verdict. Throws a `MessageError` if the two ends do not understand each other. */
  async handshake(answer: (why: string | null) => void | Promise<void> = () => undefined): Promise<Schema> {
    const why = await this.hello();
    await answer(why);
    const refused = await this.verdict();
    if (refused !== null) throw this.fail("Refused", `the peer cannot read our messages, and says: ${refused}`);
    if (why !== null || this.schema === null) throw this.fail("CannotRead", `the peer's messages cannot be read: ${why}`);
    return this.schema;
  }

  /** The messages, up to the peer's end. Throws a `MessageError`. */
  async *messages(): AsyncGenerator<unknown, void, undefined> {
    while (!this.ended) {
      const start = await this.need(4);
      const n = new DataView(start.buffer, start.byteOffset).getUint32(0, true);
      if (n === 0xffffffff) { this.ended = true; return; }
      if (n > this.limit) throw this.fail("TooLong", `a message of ${n} bytes, and the limit is ${this.limit}`);
      await this.need(4 + n + (this.checksums ? 4 : 0));
      const frame = await this.take(4 + n);
      if (this.checksums) {
        const sum = await this.take(4);
        if (new DataView(sum.buffer).getUint32(0, true) !== crc32c(frame)) {
          throw this.fail("InvalidChecksum", "the checksum of a message is wrong");
        }
      }
      let value: unknown;
      try {
        value = (this.values as Values).decodeValue(frame.subarray(4));
      } catch (e) {
        if (!(e instanceof DecodeError)) throw e;
        throw this.fail("InvalidMessage", `a message is invalid: ${e.message}`);
      }
      yield value;
    }
  }
}

/** A connection: messages both ways. */
export class Connection {
  private ended = false;
  private constructor(
    private readonly sends: Schema, private readonly send_: (b: Uint8Array) => void | Promise<void>,
    private readonly incoming: Incoming, private readonly checksums: boolean,
  ) {}

  /** Shake hands. With `as`, the peer's messages are read as that type. Throws a `MessageError` if the two ends do not understand each other. */
  static async open(
    sends: Schema, source: AsyncIterable<Uint8Array>, write: (b: Uint8Array) => void | Promise<void>,
    options: { checksums?: boolean; limit?: number; as?: Today } = {},
  ): Promise<Connection> {
    const checksums = options.checksums ?? false;
    await write(helloBytes(sends, checksums));
    const incoming = new Incoming(source, options.limit, options.as ?? null);
    await incoming.handshake((why) => write(verdictBytes(why)));
    return new Connection(sends, write, incoming, checksums);
  }

  /** The schema of the messages that are read. */
  get receives(): Schema { return this.incoming.schema as Schema; }

  /**
   * Send a message. Throws an `EncodeError` if it is no value of the schema. Any other failure is thrown again at each
   * later use, as a part of the message may have been sent.
   */
  async send(message: unknown): Promise<void> {
    if (this.ended) throw new MessageError("AfterEnd", "the connection was used after its end");
    await this.write(frameBytes(this.sends.encodeValue(message), this.checksums));
  }

  /** The messages, up to the peer's end. */
  messages(): AsyncGenerator<unknown, void, undefined> { return this.incoming.messages(); }

  /** Tell the peer that there will be no more messages. */
  async end(): Promise<void> {
    if (!this.ended) { this.ended = true; await this.write(END); }
  }

  private async write(bytes: Uint8Array): Promise<void> {
    const { incoming } = this;
    if (incoming.failed !== null) throw incoming.failed;
    try {
      await this.send_(bytes);
    } catch (e) {
      incoming.failed = e;
      throw e;
    }
  }
}
