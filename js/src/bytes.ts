/** Bytes as text, and bytes that grow. */
import { AshlarError } from "./errors.js";
import { shorterCodes } from "./shapes.js";

const HEX = Array.from({ length: 256 }, (_, b) => (b < 16 ? "0" : "") + b.toString(16));

/** Bytes in hexadecimal. */
export function toHex(data: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < data.length; i += 4096) {
    let out = "";
    for (const b of data.subarray(i, i + 4096)) out += HEX[b];
    parts.push(out);
  }
  return parts.join("");
}

/** Bytes from hexadecimal digits. Throws an `AshlarError` for other text. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || /[^0-9a-fA-F]/.test(text)) throw new AshlarError("not hexadecimal");
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/** The same bytes as a plain array. (A `slice` of a `Buffer` of Node is no copy.) */
export function plain(data: Uint8Array): Uint8Array {
  return data.constructor === Uint8Array ? data : new Uint8Array(data.buffer, data.byteOffset, data.length);
}

/** A chunk of a stream. (A text, or an array of larger numbers, would be read as other bytes.) */
export function chunk(x: unknown): Uint8Array {
  if (ArrayBuffer.isView(x) && Object.prototype.toString.call(x) === "[object Uint8Array]") return x as Uint8Array;
  throw new TypeError("an iterable of Uint8Array is needed, or a stream of them; readBytes reads one of them");
}

/** Are they the same bytes? */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}

/** All bytes, one after another. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) { out.set(p, at); at += p.length; }
  return out;
}

const encoder = new TextEncoder();

/** Of a packed value that is being written: where the byte is that takes its bits, and how many it still takes. */
export class Bits { at = 0; room = 0; }

/** Bytes that are being written. */
export class Sink {
  private data = new Uint8Array(256);
  private view = new DataView(this.data.buffer);
  length = 0;

  /** Make room for n bytes, and say where they begin. */
  private room(n: number): number {
    const at = this.length;
    if (at + n > this.data.length) {
      const larger = new Uint8Array(Math.max(2 * this.data.length, at + n));
      larger.set(this.data.subarray(0, at));
      this.data = larger;
      this.view = new DataView(larger.buffer);
    }
    this.length = at + n;
    return at;
  }

  u8(n: number): void { const at = this.room(1); this.data[at] = n; }
  u16(n: number, le = true): void { const at = this.room(2); this.view.setUint16(at, n, le); }
  u32(n: number, le = true): void { const at = this.room(4); this.view.setUint32(at, n, le); }
  u64(n: bigint, le = true): void { const at = this.room(8); this.view.setBigUint64(at, BigInt.asUintN(64, n), le); }
  f32(x: number, le = true): void { const at = this.room(4); this.view.setFloat32(at, x, le); }
  f64(x: number, le = true): void { const at = this.room(8); this.view.setFloat64(at, x, le); }
  bytes(b: Uint8Array): void { const at = this.room(b.length); this.data.set(b, at); }

  varint(n: bigint): void {
    let w = BigInt.asUintN(64, n);
    for (; w > 127n; w >>= 7n) this.u8(Number(w & 127n) | 128);
    this.u8(Number(w));
  }

  /** One of so many symbols of a packed value. */
  symbol(bits: Bits, count: number, i: number): void {
    const [width, short] = shorterCodes(count);
    const code = i < short ? i : i + short;
    for (let j = i < short ? width - 1 : width; j >= 0; j--) {
      if (bits.room === 0) { bits.at = this.length; bits.room = 8; this.u8(0); }
      bits.room--;
      (this.data[bits.at] as number) |= ((code >> j) & 1) << bits.room;
    }
  }

  count(n: number, compact: boolean): void {
    if (compact) this.varint(BigInt(n));
    else { this.u32(n >>> 0); this.u32(Math.floor(n / 4294967296)); }
  }

  /** A length in bytes, and a text in UTF-8. */
  text(t: string, compact: boolean): void {
    const b = encoder.encode(t);
    this.count(b.length, compact);
    this.bytes(b);
  }

  /** An `Integer`, or a `Natural`. */
  integer(n: bigint, signed: boolean): void {
    const m = n < 0n ? -n : n;
    const hex = m === 0n ? "" : m.toString(16);
    const size = (hex.length + 1) >> 1;
    this.varint(signed ? 2n * BigInt(size) + (n < 0n ? 1n : 0n) : BigInt(size));
    this.bytes(fromHex(hex.length & 1 ? "0" + hex : hex).reverse());
  }

  /** Forget all bytes from an offset on. */
  truncate(n: number): void { this.length = Math.min(n, this.length); }
  /** A copy of the bytes from an offset on. */
  slice(from = 0): Uint8Array { return this.data.slice(from, this.length); }
}
