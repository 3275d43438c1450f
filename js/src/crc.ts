/** CRC-32C (RFC 3720), by tables of eight bytes. */
const TABLES: Uint32Array[] = [new Uint32Array(256)];
for (let i = 0; i < 256; i++) {
  let c = i;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  (TABLES[0] as Uint32Array)[i] = c;
}
for (let t = 1; t < 8; t++) {
  const before = TABLES[t - 1] as Uint32Array;
  TABLES.push(before.map((c) => (c >>> 8) ^ ((TABLES[0] as Uint32Array)[c & 255] as number)));
}
const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as unknown as Record<number, Record<number, number>> & Iterable<Record<number, number>>;
type Table = Record<number, number>;

/** The checksum of bytes. */
export function crc32c(d: Uint8Array): number {
  const [a, b, c, e, f, g, h, i] = [T0, T1, T2, T3, T4, T5, T6, T7] as [Table, Table, Table, Table, Table, Table, Table, Table];
  const byte = d as unknown as Table;
  const n = d.length;
  let x = -1;
  let at = 0;
  for (; at + 8 <= n; at += 8) {
    x ^= (byte[at] as number) | ((byte[at + 1] as number) << 8) | ((byte[at + 2] as number) << 16) | ((byte[at + 3] as number) << 24);
    x = (i[x & 255] as number) ^ (h[(x >>> 8) & 255] as number) ^ (g[(x >>> 16) & 255] as number) ^ (f[x >>> 24] as number)
      ^ (e[byte[at + 4] as number] as number) ^ (c[byte[at + 5] as number] as number)
      ^ (b[byte[at + 6] as number] as number) ^ (a[byte[at + 7] as number] as number);
  }
  for (; at < n; at++) x = (x >>> 8) ^ (a[(x ^ (byte[at] as number)) & 255] as number);
  return ~x >>> 0;
}
