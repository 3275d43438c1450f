/**
 * One block after another. A file may be followed by others. There is a `Scan` for each: within it, offsets and numbers of
 * records are those that the file has by itself.
 */
import { crc32c } from "./crc.js";
import * as d from "./damage.js";
import { Input } from "./input.js";
import * as l from "./layout.js";

/** A file whose blocks are read: where it begins, and how many records come before it. */
export interface Scan {
  input: Input; base: number; marker: Uint8Array; limit: number; before: number; header: l.FileHeader | null;
  /** Files in whose damaged blocks this one was found, and the number of the next record of each. */
  outer: ReadonlyArray<readonly [Scan, number]>;
}

/** Where reading goes on. All bytes before `inside` belong to a damaged block; `allowance` of them may be searched again. */
export interface Position { offset: number; block: number; record: number; gap: boolean; inside: number; allowance: number }

/** A block whose checksums are right. */
export interface Block { at: number; number: number; record: number; header: l.BlockHeader; body: Uint8Array }

/** How to go on after damage. */
export interface Resume { how: "search" | "search in" | "body" | "tail" | "pass" | "gap"; header: l.BlockHeader | null; record: number }

/** What is at a position. */
export type Step =
  | { kind: "end" }
  | { kind: "block"; position: Position; block: Block }
  | { kind: "file"; position: Position; scan: Scan }
  | { kind: "damaged"; cause: d.Cause; resume: Resume };

export const startAt = (offset: number, record: number, gap = false): Position =>
  ({ offset, block: 0, record, gap, inside: 0, allowance: 67108864 });

/** The position of the first block of a file, given one before it. */
export const firstIn = (pos: Position, offset: number, h: l.FileHeader): Position =>
  ({ ...pos, offset: h.size, record: 0, gap: false, inside: pos.inside - offset });

export const fetchIn = (s: Scan, offset: number, n: number): Uint8Array =>
  (offset < 0 ? new Uint8Array(0) : s.input.fetch(s.base + offset, n));

/** Damage at a position, from this record of the file on. */
export const damageAt = (s: Scan, pos: Position, record: number, cause: d.Cause): d.Damage =>
  new d.Damage(s.input.name, s.base + pos.offset, pos.block, s.before + record, cause);

/** The file that begins at an offset, given the record of this file that would come there. */
export const fileAfter = (s: Scan, at: number, record: number, marker: Uint8Array, header: l.FileHeader | null): Scan =>
  ({ ...s, base: s.base + at, marker, before: s.before + record, header });

/** Was the second block written directly after the first one? */
export const writtenNext = (h: l.BlockHeader, next: l.BlockHeader): boolean =>
  next.offset === l.endOf(h, h.offset) && next.first === l.nextRecord(h);

/** Is it a cause? */
export const isCause = (x: object): x is d.Cause => "text" in x;

/** The header of the file that begins at an offset, or what is wrong with it. */
export function readFileHeader(input: Input, base: number): l.FileHeader | d.Cause {
  const start = input.fetch(base, l.PREFIX_BYTES);
  const { kind, n } = l.filePrefix(start);
  if (kind === "none") return d.simple("NotAFile");
  if (kind === "short") return d.truncatedHeader(l.PREFIX_BYTES, start.length);
  if (kind === "version") return d.laterVersion(n);
  if (n > l.HEADER_LIMIT) return d.tooLarge(n, l.HEADER_LIMIT);
  const data = input.fetch(base, n);
  if (data.length < n) return d.truncatedHeader(n, data.length);
  return l.getFileHeader(data) ?? d.simple("WrongHeader");
}

/** The header of the block at an offset. */
export function headerAt(s: Scan, offset: number): l.BlockHeader | null {
  const data = fetchIn(s, offset, l.BLOCK_BYTES);
  return l.beginsAt(data, 0, s.marker) ? l.blockAt(data) : null;
}

const damaged = (cause: d.Cause, how: Resume["how"], header: l.BlockHeader | null = null, record = 0): Step =>
  ({ kind: "damaged", cause, resume: { how, header, record } });

/** Read the block at a position. If `skim` is set, the body is not read if the next header shows that both were written. */
export function nextBlock(s: Scan, pos: Position, skim = false): Step {
  const start = fetchIn(s, pos.offset, l.BLOCK_BYTES);
  if (start.length === 0) return { kind: "end" };
  const cutOr = (kind: string): d.Cause =>
    (start.length < l.BLOCK_BYTES ? d.truncated(l.BLOCK_BYTES, start.length) : d.simple(kind));
  if (l.beginsAt(start, 0, s.marker)) {
    const h = l.blockAt(start);
    if (h === null) return damaged(cutOr("WrongBlockHeader"), "search in");
    return refused(s, pos, h) ?? withBody(s, pos, h, skim);
  }
  if (l.agrees(start, s.marker)) return damaged(cutOr("NotABlock"), "search");
  if (l.filePrefix(start).kind === "none") return damaged(d.simple("NotABlock"), "search");
  const h = readFileHeader(s.input, s.base + pos.offset);
  if (!isCause(h)) {
    return { kind: "file", position: firstIn(pos, pos.offset, h), scan: fileAfter(s, pos.offset, pos.record, h.marker, h) };
  }
  if (h.kind === "LaterVersion") return damaged(h, "search in");
  return damaged(h.kind === "TooLarge" ? d.simple("WrongHeader") : h, "search");
}

/** What is wrong with a header whose checksum is right. */
function refused(s: Scan, pos: Position, h: l.BlockHeader): Step | null {
  const large = Math.max(h.stored, h.expanded);
  if (large > s.limit) return damaged(d.tooLarge(large, s.limit), "pass", h);
  const records = h.kind === l.RECORDS ? h.records >= 1 && h.records <= h.expanded : h.records === 0;
  if (!records || (!h.compressed && h.stored !== h.expanded)) return damaged(d.simple("WrongCount"), "pass", h);
  const number = d.wrongNumber(s.before + h.first);
  if (h.first > pos.record && !pos.gap) return damaged(number, "gap", null, h.first);
  return h.first < pos.record ? damaged(number, "pass", h) : null;
}

function withBody(s: Scan, pos: Position, h: l.BlockHeader, skim: boolean): Step {
  const end = l.endOf(h, pos.offset);
  const position = { ...pos, offset: end, block: pos.block + 1, record: l.nextRecord(h), gap: false };
  const block = { at: s.base + pos.offset, number: pos.block, record: s.before + h.first, header: h };
  if (skim) {
    const there = headerAt(s, end);
    if (there !== null && writtenNext(h, there)) return { kind: "block", position, block: { ...block, body: new Uint8Array(0) } };
  }
  const body = fetchIn(s, pos.offset + l.BLOCK_BYTES, h.stored);
  if (body.length < h.stored) return damaged(d.truncated(l.BLOCK_BYTES + h.stored, l.BLOCK_BYTES + body.length), "tail", h);
  if (crc32c(body) !== h.checksum) return damaged(d.simple("WrongChecksum"), "body", h);
  return { kind: "block", position, block: { ...block, body } };
}
