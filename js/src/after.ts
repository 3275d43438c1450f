/** After damage: the rules are those of `format.md` of the package ashlar-file, and the answers are those of Haskell. */
import { sameBytes } from "./bytes.js";
import { Input } from "./input.js";
import * as l from "./layout.js";
import { fetchIn, fileAfter, firstIn, headerAt, isCause, Position, readFileHeader, Resume, Scan, startAt, writtenNext } from "./scan.js";

const WINDOW = 65536;

/** Where reading goes on. Without a file, no block follows, and the offset is the end. */
export interface Next { scan: Scan | null; position: Position }

const ended = (offset: number): Next => ({ scan: null, position: startAt(offset, 0) });
const moved = (pos: Position, offset: number, next: number): Position =>
  ({ ...pos, offset, block: pos.block + 1, record: Math.max(pos.record, next), gap: true });

/**
 * Finds something, and forgets the bytes that it has passed. If some are needed that are not here (`NeedMore`), it can be
 * called again, and goes on where it was.
 */
export type Finding<T> = () => T;

/** Find the position at which reading goes on after damage. */
export function passOver(s: Scan, pos: Position, resume: Resume): Finding<Next> {
  let finding: Finding<Next> | null = null;
  return () => {
    finding = finding ?? begin(s, pos, resume);
    return finding();
  };
}

function begin(s: Scan, pos: Position, resume: Resume): Finding<Next> {
  const h = resume.header;
  if (resume.how === "gap") return () => ({ scan: s, position: { ...pos, record: resume.record, gap: true } });
  if (resume.how === "search") return searching(s, pos, [pos.offset]);
  if (h === null) return searching(s, pos, []);
  if (resume.how === "pass") return arrived(s, pos, h);
  const end = l.endOf(h, pos.offset);
  if (resume.how === "tail") return within(s, pos, h, [], pos.offset);
  const there = headerAt(s, end);
  if (there !== null) return writtenNext(h, there) ? arrived(s, pos, h) : within(s, pos, h, [], end);
  return within(s, pos, h, [end], fileOrEndAt(s, pos, end) ? end : pos.offset);
}

function within(s: Scan, pos: Position, h: l.BlockHeader, headless: number[], filesFrom: number): Finding<Next> {
  const again = pos.offset < pos.inside ? l.endOf(h, 0) : 0;
  if (again > pos.allowance) return arrived(s, pos, h);
  const inside = Math.max(l.endOf(h, pos.offset), pos.inside);
  const there = { ...pos, allowance: pos.allowance - again, inside };
  return search(s, headless, filesFrom, Math.max(pos.record, l.nextRecord(h)), there);
}

/** After a block of a known size. The file may end there, or in it. */
function arrived(s: Scan, pos: Position, h: l.BlockHeader): Finding<Next> {
  const end = l.endOf(h, pos.offset);
  return () => {
    s.input.forget(s.base + end);
    if (fetchIn(s, end, 1).length === 0) return ended(Math.min(end, s.input.end - s.base));
    return { scan: s, position: moved(pos, end, l.nextRecord(h)) };
  };
}

/**
 * There may be a block here whose header is damaged, but not the size in it. The size is believed if the marker or the
 * offset beside it is right. (After a block that was cut off within its marker, bytes of the next file stand there.)
 */
function searching(s: Scan, pos: Position, headless: number[]): Finding<Next> {
  const size = l.damagedStart(s.marker, pos.offset, fetchIn(s, pos.offset, l.BLOCK_BYTES));
  if (size === null || size > Math.min(s.limit, pos.allowance)) {
    return search(s, headless, pos.offset, pos.record, pos);
  }
  const to = pos.offset + l.BLOCK_BYTES + size;
  const block = headerAt(s, to);
  const ends = block !== null || fileOrEndAt(s, pos, to);
  const there = { ...pos, allowance: pos.allowance - size };
  return search(s, block === null ? [...headless, to] : headless, ends ? to : pos.offset, pos.record, there);
}

function fileOrEndAt(s: Scan, pos: Position, offset: number): boolean {
  if (offset <= pos.offset) return false;
  const start = fetchIn(s, offset, l.PREFIX_BYTES);
  if (l.filePrefix(start).kind === "prefix") return true;
  return start.length === 0 && fetchIn(s, offset - 1, 1).length > 0;
}

/** The first index, from one on, where there is a marker, the beginning of a file, or a block of another kind. */
function firstOf(words: readonly Uint8Array[], other: ((i: number) => boolean) | null, d: Uint8Array, start: number): number {
  const all = [l.MAGIC, ...words];
  const firsts = new Set(all.map((w) => w[0]));
  for (let i = start; i + 8 <= d.length; i++) {
    if (firsts.has(d[i]) && all.some((w) => l.beginsAt(d, i, w))) return i;
    if (other !== null && i + l.BLOCK_BYTES <= d.length && d[i + 10] === 0 && d[i + 11] === 0) {
      const kind = d[i + 8] as number;
      if (kind >= 1 && kind <= 3 && (d[i + 9] as number) <= 1 && other(i)) return i;
    }
  }
  return -1;
}

function search(s: Scan, headless: number[], filesFrom: number, record: number, pos: Position): Finding<Next> {
  const searching = new Search(s, headless, filesFrom, record, pos);
  return () => searching.run();
}

/** A search for the next block or file after a position. */
class Search {
  private left: number;
  /** The window that is being searched, and the first index in it that may be what is sought. */
  private start: number;
  private index = 0;
  private readonly words: Uint8Array[];
  /** Files that are found in damaged blocks may be what a record contains. */
  private readonly suspended: ReadonlyArray<readonly [Scan, number]>;

  constructor(
    private readonly s: Scan, private readonly headless: number[], private readonly filesFrom: number,
    private readonly record: number, private readonly pos: Position,
  ) {
    this.left = pos.allowance;
    this.start = pos.offset + 1;
    this.words = [s.marker, ...s.outer.map(([x]) => x.marker)];
    this.suspended = [[{ ...s, outer: [] }, pos.record] as const, ...s.outer];
  }

  run(): Next {
    for (;;) {
      const { s, start } = this;
      s.input.forget(s.base + start);
      const data = fetchIn(s, start, WINDOW);
      const near = start - this.pos.offset <= s.limit + l.HEADER_LIMIT;
      const other = near && this.headless.length > 0 ? (j: number): boolean => {
        const b = l.blockAt(data, j);
        return b !== null && this.beganAt(start + j, b) !== undefined;
      } : null;
      for (;;) {
        const j = firstOf(this.words, other, data, this.index);
        if (j < 0) break;
        this.index = j;
        const found = this.candidate(start + j);
        if (found !== null) return found;
        this.index = j + 1;
      }
      if (data.length < WINDOW) return ended(start + data.length);
      this.start = start + data.length - l.BLOCK_BYTES + 1;
      this.index = 0;
    }
  }

  private beganAt(at: number, b: l.BlockHeader): number | undefined {
    return this.headless.find((begin) => b.offset === at - begin);
  }

  private candidate(at: number): Next | null {
    const s = this.s;
    const start = fetchIn(s, at, l.BLOCK_BYTES);
    const { kind, n } = l.filePrefix(start);
    if (kind === "prefix") {
      if (at < this.filesFrom || n > this.left) return null;
      const h = readFileHeader(s.input, s.base + at);
      this.left -= n;
      if (isCause(h) || this.words.some((w) => sameBytes(w, h.marker))) return null;
      const next = { ...fileAfter(s, at, this.record, h.marker, h), outer: this.suspended.slice(0, 4) };
      return { scan: next, position: firstIn(moved(this.here(), at, 0), at, h) };
    }
    const b = l.blockAt(start);
    if (b === null) return null;
    if (sameBytes(b.marker, s.marker)) return { scan: s, position: moved(this.here(), at, b.first) };
    const outer = s.outer.find(([x]) => sameBytes(x.marker, b.marker));
    if (outer !== undefined) return b.first < outer[1] ? null : this.toOuter(at, b, outer[0]);
    const begin = this.beganAt(at, b);
    if (begin === undefined) return null;
    const position = moved({ ...this.here(), record: 0 }, at - begin, b.first);
    return { scan: fileAfter(s, begin, this.record, b.marker, null), position: { ...position, inside: this.pos.inside - begin } };
  }

  private here(): Position {
    return { ...this.pos, allowance: this.left };
  }

  private toOuter(at: number, b: l.BlockHeader, outer: Scan): Next {
    const shift = this.s.base - outer.base;
    const before = Math.max(outer.before, this.s.before + this.record - b.first);
    const others = this.suspended.slice(0, 4).filter(([x]) => !sameBytes(x.marker, outer.marker));
    const position = moved({ ...this.here(), record: 0 }, at + shift, b.first);
    return { scan: { ...outer, before, outer: others }, position: { ...position, inside: this.pos.inside + shift } };
  }
}

/** The first block in the first 16 MiB of an input whose header is damaged, or the first file after it. */
export function withoutHeader(input: Input, limit: number): { scan: Scan; position: Position } | null {
  const scanOf = (base: number, marker: Uint8Array, header: l.FileHeader | null): Scan =>
    ({ input, base, marker, limit, before: 0, header, outer: [] });
  for (let start = 0; start <= l.HEADER_LIMIT; ) {
    const data = input.fetch(start, WINDOW);
    const other = (j: number): boolean => l.blockAt(data, j) !== null;
    for (let j = firstOf([], other, data, 0); j >= 0; j = firstOf([], other, data, j + 1)) {
      const at = start + j;
      const b = l.blockAt(input.fetch(at, l.BLOCK_BYTES));
      if (b !== null) return { scan: scanOf(0, b.marker, null), position: moved({ ...startAt(0, 0), block: -1 }, at, b.first) };
      const { kind, n } = l.filePrefix(input.fetch(at, l.PREFIX_BYTES));
      // (Large headers are ignored: a search over 16 MiB could meet many of them.)
      const h = at > 0 && kind === "prefix" && n <= 65536 ? readFileHeader(input, at) : null;
      if (h !== null && !isCause(h)) return { scan: scanOf(at, h.marker, h), position: firstIn(startAt(0, 0), at, h) };
    }
    if (data.length < WINDOW) return null;
    start += data.length - l.BLOCK_BYTES + 1;
  }
  return null;
}
