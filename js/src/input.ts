/** Bytes by offsets. */
import { plain } from "./bytes.js";

/** Where the bytes of a file come from. Offsets count from the beginning of the first file. */
export interface Input {
  name: string;
  /** Bytes from an offset on: fewer than asked for only where the file ends. None if they were forgotten. */
  fetch(offset: number, n: number): Uint8Array;
  /** Promise that no byte before an offset will be asked for any more. */
  forget(offset: number): void;
  /** Are all bytes before an offset there? */
  has(end: number): boolean;
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
  has(end: number): boolean { return this.data.length >= end; }
}

/** Bytes up to this offset are missing. */
export class NeedMore { constructor(readonly to: number) {} }

/** Bytes that arrive. It throws `NeedMore` where some are needed that are not yet here. */
export class StreamInput implements Input {
  private data = new Uint8Array(65536);
  private start = 0;
  private length = 0;
  ended = false;

  constructor(readonly name: string) {}

  /** The offset after the last byte that is here. */
  get end(): number { return this.start + this.length; }

  /** How many bytes are held. */
  get held(): number { return this.length; }

  /** Add bytes at the end. */
  push(more: Uint8Array): void {
    if (this.length + more.length > this.data.length) {
      const larger = new Uint8Array(2 * (this.length + more.length));
      larger.set(this.data.subarray(0, this.length));
      this.data = larger;
    }
    this.data.set(more, this.length);
    this.length += more.length;
  }

  fetch(offset: number, n: number): Uint8Array {
    if (offset < this.start) return NONE;
    if (offset + n > this.end && !this.ended) throw new NeedMore(offset + n);
    return this.data.slice(Math.min(this.length, offset - this.start), Math.min(this.length, offset - this.start + n));
  }

  has(end: number): boolean { return this.end >= end; }

  forget(offset: number): void {
    const n = Math.min(this.length, offset - this.start);
    if (n < 1 << 20 && n < this.length) return;
    if (n <= 0) return;
    const rest = this.length - n;
    const kept = new Uint8Array(Math.max(65536, rest));
    kept.set(this.data.subarray(n, this.length));
    this.data = kept;
    this.length = rest;
    this.start += n;
  }
}
