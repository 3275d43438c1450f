/** Bytes by offsets. */
import { plain } from "./bytes.js";

/** Where the bytes of a file come from. Offsets count from the beginning of the first file. */
export interface Input {
  name: string;
  /** Bytes from an offset on: fewer than asked for only where the file ends. None if they were forgotten. */
  fetch(offset: number, n: number): Uint8Array;
  /** Promise that no byte before an offset will be asked for any more. The offset may be one that has not arrived. */
  forget(offset: number): void;
  /** How many bytes have arrived. */
  readonly end: number;
}

const NONE = new Uint8Array(0);

/** Bytes in memory. */
export class BytesInput implements Input {
  private readonly data: Uint8Array;
  constructor(readonly name: string, data: Uint8Array) { this.data = plain(data); }
  fetch(offset: number, n: number): Uint8Array {
    return offset < 0 || offset >= this.data.length ? NONE : this.data.subarray(offset, offset + n);
  }
  forget(): void { /* They stay in memory. */ }
  get end(): number { return this.data.length; }
}

/** Bytes up to this offset are missing. */
export class NeedMore { constructor(readonly to: number) {} }

const LEAST = 65536;

/** Bytes that arrive. It throws `NeedMore` where some are needed that are not yet here. */
export class StreamInput implements Input {
  /** The bytes that are held, between two indices. The first one has the offset `start`. */
  private data = new Uint8Array(LEAST);
  private from = 0;
  private to = 0;
  private start = 0;
  private arrived = 0;
  ended = false;

  constructor(readonly name: string) {}

  get end(): number { return this.arrived; }

  /** How many bytes are held. */
  get held(): number { return this.to - this.from; }

  /** Add bytes at the end. */
  push(more: Uint8Array): void {
    const forgotten = Math.min(more.length, Math.max(0, this.start - this.arrived));
    this.arrived += more.length;
    const added = more.subarray(forgotten);
    if (this.to + added.length > this.data.length) this.move(Math.max(2 * this.held, this.held + added.length));
    this.data.set(added, this.to);
    this.to += added.length;
  }

  /** Move the bytes that are held to the beginning of a place of this size. */
  private move(size: number): void {
    const data = new Uint8Array(Math.max(LEAST, size));
    data.set(this.data.subarray(this.from, this.to));
    [this.data, this.from, this.to] = [data, 0, this.held];
  }

  fetch(offset: number, n: number): Uint8Array {
    if (offset < this.start) return NONE;
    if (offset + n > this.end && !this.ended) throw new NeedMore(offset + n);
    const from = Math.min(this.to, this.from + offset - this.start);
    return this.data.slice(from, Math.min(this.to, from + n));
  }

  forget(offset: number): void {
    if (offset <= this.start) return;
    this.from = Math.min(this.to, this.from + offset - this.start);
    this.start = offset;
    // No more bytes are moved than were forgotten since the last time.
    if (this.from >= Math.max(LEAST, this.held)) this.move(this.held);
  }
}
