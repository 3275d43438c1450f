/** MD5 (RFC 1321), for fingerprints. */
import { concat } from "./bytes.js";

const SHIFTS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]] as const;
const SINES = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 4294967296) | 0);

/** The 16 bytes of the sum of all bytes, which are in parts. */
export function md5(parts: Iterable<Uint8Array>): Uint8Array {
  const state = new Int32Array([0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476]);
  let rest = new Uint8Array(0);
  let length = 0;
  for (const part of parts) {
    const data = concat([rest, part]);
    blocks(state, data);
    rest = data.slice(data.length - data.length % 64);
    length += part.length;
  }
  const end = new Uint8Array(rest.length < 56 ? 64 : 128);
  end.set(rest);
  end[rest.length] = 0x80;
  new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(length) * 8n, true);
  blocks(state, end);
  const out = new Uint8Array(16);
  state.forEach((w, i) => new DataView(out.buffer).setInt32(4 * i, w, true));
  return out;
}

/** Adds whole blocks of 64 bytes to a sum. */
function blocks(state: Int32Array, data: Uint8Array): void {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let at = 0; at + 64 <= data.length; at += 64) {
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const f = round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d);
      const word = round === 0 ? i : round === 1 ? (5 * i + 1) & 15 : round === 2 ? (3 * i + 5) & 15 : (7 * i) & 15;
      const sum = (a + f + (SINES[i] as number) + view.getInt32(at + 4 * word, true)) | 0;
      const by = (SHIFTS[round] as readonly number[])[i & 3] as number;
      [a, d, c, b] = [d, c, b, (b + ((sum << by) | (sum >>> (32 - by)))) | 0];
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d;
  }
}
