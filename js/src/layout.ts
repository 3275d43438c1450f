/** The bytes of headers, blocks and indexes. */
import { concat, Sink } from "./bytes.js";
import { crc32c } from "./crc.js";

export const MAGIC = Uint8Array.of(0x89, 0x41, 0x53, 0x48, 0x4c, 0x41, 0x52, 0x0a);
export const PREFIX_BYTES = 16;
export const BLOCK_BYTES = 72;
export const HEADER_LIMIT = 16777216;
export const RECORDS = 1;
export const SCHEMA = 2;
export const INDEX = 3;

/** The header of a file. The fingerprint is as it stands there. */
export interface FileHeader { marker: Uint8Array; fingerprint: Uint8Array; compression: Uint8Array; schema: Uint8Array; size: number }

/** The header before the body of a block. */
export interface BlockHeader {
  marker: Uint8Array; kind: number; compressed: boolean; stored: number; expanded: number; records: number;
  first: number; fingerprint: Uint8Array; schemaAt: number; offset: number; checksum: number;
}

/** Do bytes begin with others at an index? */
export function beginsAt(d: Uint8Array, at: number, word: Uint8Array): boolean {
  if (at + word.length > d.length) return false;
  for (let i = 0; i < word.length; i++) if (d[at + i] !== word[i]) return false;
  return true;
}

/** Do these bytes begin with as much of a word as there is of either? */
export function agrees(d: Uint8Array, word: Uint8Array): boolean {
  return beginsAt(word, 0, d.subarray(0, word.length));
}

const viewOf = (d: Uint8Array): DataView => new DataView(d.buffer, d.byteOffset, d.byteLength);

/** The bytes of a file's header. */
export function putFileHeader(h: Omit<FileHeader, "size">): Uint8Array {
  const out = new Sink();
  out.bytes(MAGIC); out.u16(1); out.u16(0);
  out.u32(52 + h.compression.length + h.schema.length);
  out.bytes(h.marker); out.bytes(h.fingerprint);
  out.u32(h.compression.length); out.bytes(h.compression);
  out.u32(h.schema.length); out.bytes(h.schema);
  out.u32(crc32c(out.slice()));
  return out.slice();
}

/** What the first bytes of a file say. */
export function filePrefix(d: Uint8Array): { kind: "prefix" | "version" | "short" | "none"; n: number } {
  if (!agrees(d, MAGIC)) return { kind: "none", n: 0 };
  if (d.length < PREFIX_BYTES) return { kind: "short", n: 0 };
  const v = viewOf(d);
  const version = v.getUint16(8, true);
  if (version !== 1 || v.getUint16(10, true) !== 0) return { kind: "version", n: version };
  return { kind: "prefix", n: v.getUint32(12, true) };
}

/** A header from all of its bytes, if its checksum is right and the lengths in it fit. */
export function getFileHeader(d: Uint8Array): FileHeader | null {
  const end = d.length - 4;
  const v = viewOf(d);
  if (d.length < 52 || v.getUint32(end, true) !== crc32c(d.subarray(0, end))) return null;
  const n = v.getUint32(40, true);
  if (48 + n > end || 48 + n + v.getUint32(44 + n, true) !== end) return null;
  return {
    marker: d.slice(16, 24), fingerprint: d.slice(24, 40), compression: d.slice(44, 44 + n), schema: d.slice(48 + n, end), size: d.length,
  };
}

/** The bytes of a block's header. */
export function putBlockHeader(b: BlockHeader): Uint8Array {
  const out = new Sink();
  out.bytes(b.marker); out.u8(b.kind); out.u8(Number(b.compressed)); out.u16(0);
  out.u32(b.stored); out.u32(b.expanded); out.u32(b.records); out.u64(BigInt(b.first));
  out.bytes(b.fingerprint); out.u64(BigInt(b.schemaAt)); out.u64(BigInt(b.offset)); out.u32(b.checksum);
  out.u32(crc32c(out.slice()));
  return out.slice();
}

/** The header of a block in any file at an index, if its checksum is right and its numbers are possible. */
export function blockAt(all: Uint8Array, at = 0): BlockHeader | null {
  if (at + BLOCK_BYTES > all.length || (all[at + 9] as number) > 1 || all[at + 10] !== 0 || all[at + 11] !== 0) return null;
  const d = all.subarray(at, at + BLOCK_BYTES);
  const v = viewOf(d);
  if (v.getUint32(68, true) !== crc32c(d.subarray(0, 68))) return null;
  const first = v.getBigInt64(24, true);
  const schemaAt = v.getBigInt64(48, true);
  if (first < 0n || schemaAt < 0n || first > 0x7fffffffffffffffn - (1n << 32n)) return null;
  return {
    marker: d.slice(0, 8), kind: d[8] as number, compressed: d[9] === 1,
    stored: v.getUint32(12, true), expanded: v.getUint32(16, true), records: v.getUint32(20, true),
    first: Number(first), fingerprint: d.slice(32, 48), schemaAt: Number(schemaAt), offset: Number(v.getBigInt64(56, true)),
    checksum: v.getUint32(64, true),
  };
}

/** The size of the body, from a header that is damaged elsewhere. The marker or the offset must be right. */
export function damagedStart(marker: Uint8Array, at: number, d: Uint8Array): number | null {
  if (d.length < 64) return null;
  const v = viewOf(d);
  return beginsAt(d, 0, marker) || v.getBigInt64(56, true) === BigInt(at) ? v.getUint32(12, true) : null;
}

/** The number of the record that comes after a block. */
export const nextRecord = (h: BlockHeader): number => h.first + h.records;
/** The offset after a block, given that of its header. */
export const endOf = (h: BlockHeader, at: number): number => at + BLOCK_BYTES + h.stored;

/** The body of an index block at an offset. */
export function putIndex(entries: ReadonlyArray<readonly [number, number]>, records: number, at: number): Uint8Array {
  const out = new Sink();
  for (const [offset, first] of entries) { out.u64(BigInt(offset)); out.u64(BigInt(first)); }
  const footer = new Sink();
  footer.u64(BigInt(records)); footer.u64(BigInt(at));
  footer.bytes(Uint8Array.from("ASHLARIX", (c) => c.charCodeAt(0)));
  footer.u32(0);
  footer.u32(crc32c(footer.slice()));
  return concat([out.slice(), footer.slice()]);
}
