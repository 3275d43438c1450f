/** The records of a file, in order. */
import { Finding, passOver, Next, withoutHeader } from "./after.js";
import { concat, plain, sameBytes } from "./bytes.js";
import * as d from "./damage.js";
import { DecodeError } from "./errors.js";
import { Today, Values, valuesOf } from "./evolution.js";
import { Input } from "./input.js";
import * as l from "./layout.js";
import { Block, damageAt, firstIn, headerAt, isCause, nextBlock, Position, readFileHeader, Scan, startAt } from "./scan.js";
import { Schema } from "./schema.js";

/** A record, its number, and the schema that it is a value of. */
export interface FileRecord { number: number; value: unknown; schema: Schema }

/** Expands a body to so many bytes, or says why not. */
export type Inflate = (body: Uint8Array, size: number) => Uint8Array | string;

/** How to read records. */
export interface Reading {
  inflate: Inflate | null;
  /** Called with what is passed over because of damage. Without it, damage is thrown. */
  resync: ((lost: d.Lost) => void) | null;
  blockLimit: number;
  /** The number of the first record that is wanted. Those in blocks before are not decoded. */
  start: number;
  /** The type that all records are read as, or `null` if each is read by the schema that it has. */
  as: Today | null;
}

/** How to read records, and by which schema those that are refused are passed over, if there is another one. */
interface Typed { values: Values; schema: Schema; old: Schema | null }
interface Schemas { at: number; passed: number; fingerprint: Uint8Array; found: Typed | d.Cause }
interface Opened { scan: Scan; schemas: Schemas; compressed: boolean }
const ZLIB = Uint8Array.from("zlib", (c) => c.charCodeAt(0));

function withSchema(as: Today | null, at: number, end: number, fingerprint: Uint8Array, bytes: Uint8Array): Schemas {
  const found = valuesOf(bytes, as);
  if (typeof found === "string") return { at, passed: end, fingerprint, found: d.wrongType(found) };
  return { at, passed: end, fingerprint, found: as === null ? { ...found, old: null } : { values: found.values, schema: as.schema, old: found.schema } };
}

function goingOn(damage: d.Damage, other: boolean, scan: Scan, pos: Position): d.Lost {
  const begins = pos.record === 0 && scan.header !== null && pos.offset === scan.header.size;
  return { damage, to: begins ? scan.base : scan.base + pos.offset, next: scan.before + pos.record, other };
}

/** Reads the records of a file, block by block. */
export class Fold {
  going = true;
  private opened: Opened | null = null;
  private pos: Position = startAt(0, 0);
  private outer: Opened[] = [];
  private lost: d.Lost[] = [];
  /** Goes on after damage, which may take more bytes than are here. Then it can be called again. */
  private goOn: (() => void) | null = null;

  constructor(private readonly reading: Reading, private readonly input: Input) {}

  /**
   * The records of the next block, which are decoded as they are asked for, before the next step. Throws `Damage`. If
   * something is missing (`NeedMore`, for instance), the step can be tried again.
   */
  step(): Iterable<FileRecord> {
    let records: Iterable<FileRecord> = [];
    try {
      if (this.goOn === null) records = this.next();
      while (this.goOn !== null) {
        this.report();
        this.goOn();
      }
    } finally {
      this.report();
    }
    const now = this.opened as Opened | null;
    if (now !== null) this.input.forget(now.scan.base + this.pos.offset);
    return records;
  }

  /** What is at the position. If something is missing, nothing has happened. */
  private next(): Iterable<FileRecord> {
    const { opened, pos, outer } = this;
    try {
      return this.opened === null ? this.open() : this.block(this.opened);
    } catch (e) {
      this.opened = opened;
      this.pos = pos;
      this.outer = outer;
      throw e;
    }
  }

  private report(): void {
    const lost = this.lost;
    this.lost = [];
    if (this.reading.resync !== null) lost.forEach(this.reading.resync);
  }

  private open(): FileRecord[] {
    const { input, reading } = this;
    const header = readFileHeader(input, 0);
    const bad = (cause: d.Cause): d.Damage => new d.Damage(input.name, 0, null, 0, cause);
    if (!isCause(header)) {
      const scan: Scan = { input, base: 0, marker: header.marker, limit: reading.blockLimit, before: 0, header, outer: [] };
      const opened = this.openFile(scan);
      if (isCause(opened)) throw bad(opened);
      this.opened = opened;
      this.pos = startAt(header.size, 0);
      return [];
    }
    const found = reading.resync === null || header.kind === "LaterVersion" ? null : withoutHeader(input, reading.blockLimit);
    if (found === null) throw bad(header);
    const opened = this.openFile(found.scan);
    if (isCause(opened)) throw bad(opened);
    this.lost.push(goingOn(bad(header), false, found.scan, found.position));
    this.opened = opened;
    this.pos = found.position;
    return [];
  }

  private openFile(scan: Scan): Opened | d.Cause {
    const h = scan.header;
    if (h === null) {
      const schema = this.reading.as?.schema;
      const found = schema === undefined ? d.simple("UnknownSchema") : { values: schema, schema, old: null };
      const schemas = { at: -1, passed: 0, fingerprint: new Uint8Array(0), found };
      return { scan, schemas, compressed: true };
    }
    const schemas = withSchema(this.reading.as, 0, h.size, h.fingerprint, h.schema);
    if (h.compression.length > 0 && !sameBytes(h.compression, ZLIB)) return d.unknownCompression(h.compression);
    if (isCause(schemas.found)) return schemas.found;
    return { scan, schemas, compressed: h.compression.length > 0 };
  }

  private block(o: Opened): Iterable<FileRecord> {
    const { scan } = o;
    const pos = this.pos;
    const step = nextBlock(scan, pos);
    switch (step.kind) {
      case "end": this.going = false; return [];
      case "file": this.inOther(null, step.scan, step.position); return [];
      case "damaged": this.damaged(pos, step.cause, pos.record, passOver(scan, pos, step.resume)); return [];
      case "block": {
        this.pos = step.position;
        const h = step.block.header;
        if (h.kind === l.SCHEMA) {
          this.opened = { ...o, schemas: withSchema(this.reading.as, h.offset, step.position.offset, h.fingerprint, step.block.body) };
        }
        return h.kind === l.RECORDS && scan.before + step.position.record > this.reading.start ? this.records(o, pos, step.block, step.position) : [];
      }
    }
  }

  private records(o: Opened, pos: Position, block: Block, following: Position): Iterable<FileRecord> {
    const h = block.header;
    const { scan } = o;
    const onwards = (): Next => ({ scan, position: { ...following, gap: true } });
    const found = this.typed(o, pos, h);
    if (isCause(found)) {
      if (found.kind === "WrongType") throw damageAt(scan, pos, h.first, found);
      this.damaged(pos, found, h.first, onwards);
      return [];
    }
    const body = this.expanded(o.compressed, h, block.body);
    if (!(body instanceof Uint8Array)) { this.damaged(pos, body, h.first, onwards); return []; }
    return this.decoded(scan, pos, h, found, body, onwards);
  }

  /** Some are decoded at a time: a block of 64 MiB may have as many records as bytes. */
  private *decoded(scan: Scan, pos: Position, h: l.BlockHeader, { values, schema, old }: Typed, body: Uint8Array, onwards: Finding<Next>): Generator<FileRecord, void, undefined> {
    const { resync, start } = this.reading;
    let at = 0;
    let n = h.first;
    for (const end = h.first + h.records; n < end; ) {
      const part = decodeRecords(values, body, Math.min(1000, end - n), at);
      at = part.at;
      for (const value of part.values) {
        const number = scan.before + n++;
        if (number >= start) yield { number, value, schema };
      }
      if (part.error === null) continue;
      const cause = d.badRecord(part.error);
      const wanted = scan.before + n >= start;
      const passed = old === null || (wanted && resync === null) ? null : decodeRecords(old, body, 1, at);
      if (passed === null || passed.error !== null) { this.unread(scan, pos, cause, n, onwards); return; }
      // Only this record is lost. The schema that it was written with says where it ends.
      if (wanted) resync?.({ damage: damageAt(scan, pos, n, cause), to: scan.base + pos.offset, next: scan.before + n + 1, other: false });
      n++;
      at = passed.at;
    }
    if (at < body.length) this.unread(scan, pos, d.simple("WrongCount"), n, onwards);
  }

  /** The rest of a block cannot be read. */
  private unread(scan: Scan, pos: Position, cause: d.Cause, n: number, onwards: Finding<Next>): void {
    if (this.reading.resync === null) this.broken = damageAt(scan, pos, n, cause);
    else this.damaged(pos, cause, n, onwards);
  }

  /** How to read the records of a block. Those of the type that is asked for need no schema. */
  private typed(o: Opened, pos: Position, h: l.BlockHeader): Typed | d.Cause {
    const { as } = this.reading;
    if (as !== null && sameBytes(h.fingerprint, this.stored(as.schema))) return { values: as.schema, schema: as.schema, old: null };
    const schemas = schemasOf(as, o.scan, o.schemas, pos.offset, h);
    this.opened = { ...o, schemas };
    return schemas.found;
  }

  private stored(schema: Schema): Uint8Array {
    const f = schema.fingerprint();
    return concat([f.slice(0, 8).reverse(), f.slice(8).reverse()]);
  }

  /** Damage after the last records. */
  broken: d.Damage | null = null;

  private expanded(compressed: boolean, h: l.BlockHeader, body: Uint8Array): Uint8Array | d.Cause {
    if (!h.compressed) return body;
    if (Math.floor(h.expanded / 1100) > h.stored) return d.tooLarge(h.expanded, h.stored * 1100);
    if (!compressed || this.reading.inflate === null) return d.unknownCompression(compressed ? ZLIB : new Uint8Array(0));
    const found = this.reading.inflate(body, h.expanded);
    if (typeof found === "string") return d.wrongExpansion(found);
    return found.length === h.expanded ? plain(found) : d.wrongExpansion("another number of bytes than the block says");
  }

  /** Throw damage, or find where to go on. */
  private damaged(pos: Position, cause: d.Cause, record: number, following: Finding<Next>): void {
    const scan = (this.opened as Opened).scan;
    const damage = damageAt(scan, pos, record, cause);
    if (this.reading.resync === null) throw damage;
    this.goOn = () => this.after(damage, scan, following());
  }

  /** Note damage, and go on at what follows it. */
  private after(damage: d.Damage, scan: Scan, to: Next): void {
    this.goOn = null;
    if (to.scan === null) {
      this.lost.push({ damage, to: scan.base + to.position.offset, next: null, other: false });
      this.going = false;
    } else if (to.scan.base === scan.base) {
      this.lost.push(goingOn(damage, false, to.scan, to.position));
      this.pos = to.position;
    } else this.inOther(damage, to.scan, to.position);
  }

  /** Go on in another file, perhaps because of damage. If it cannot be read, that is damage, too. */
  private inOther(why: d.Damage | null, scan: Scan, pos: Position): void {
    const places = [this.opened as Opened, ...this.outer];
    const outer = places.filter((p) => p.scan.base === scan.base || scan.outer.some(([x]) => x.base === p.scan.base));
    const back = outer.find((p) => p.scan.base === scan.base);
    const opened = back === undefined ? this.openFile(scan) : { ...back, scan };
    if (why !== null) this.lost.push(goingOn(why, true, scan, pos));
    if (!isCause(opened)) {
      this.opened = opened;
      this.outer = outer;
      this.pos = pos;
      return;
    }
    const rest = restOf(scan, pos);
    this.goOn = () => {
      const [n, next] = rest();
      const damage = damageAt(scan, { ...pos, offset: 0 }, 0, d.anotherFile(n, opened.text));
      if (this.reading.resync === null) throw damage;
      this.after(damage, scan, next);
    };
  }
}

/** How to read the records of the block at an offset. */
function schemasOf(as: Today | null, scan: Scan, known: Schemas, here: number, h: l.BlockHeader): Schemas {
  if (h.schemaAt === known.at && sameBytes(h.fingerprint, known.fingerprint)) return known;
  const lost = d.simple("UnknownSchema");
  if (h.schemaAt >= here || h.schemaAt < known.passed) return { ...known, found: lost };
  const at = h.schemaAt;
  const none = (end: number): Schemas => ({ at, passed: end, fingerprint: h.fingerprint, found: lost });
  if (at === 0) {
    const header = readFileHeader(scan.input, scan.base);
    if (isCause(header) || !sameBytes(header.fingerprint, h.fingerprint)) return none(1);
    return withSchema(as, 0, header.size, h.fingerprint, header.schema);
  }
  const b = headerAt(scan, at);
  if (b === null || b.kind !== l.SCHEMA || !sameBytes(b.fingerprint, h.fingerprint)) return none(at + 1);
  const step = nextBlock(scan, startAt(at, 0, true));
  return step.kind === "block" ? withSchema(as, at, l.endOf(b, at), h.fingerprint, step.block.body) : none(l.endOf(b, at));
}

/** Some records of a body, from an index on: those before the first that is refused, where that begins, and why. */
export function decodeRecords(
  reads: Values, body: Uint8Array, count: number, at: number,
): { values: unknown[]; at: number; error: DecodeError | null } {
  const values: unknown[] = [];
  at = reads.decodeQuickly(body, at, count, values);
  while (values.length < count) {
    try {
      const [value, end] = reads.decodeFrom(body, at);
      let next = end;
      if (end === at) {
        // A record of no bytes has a byte that is 0.
        if (at >= body.length) throw new DecodeError(0, "", "1 byte needed, 0 left");
        if (body[at] !== 0) throw new DecodeError(0, "", "a byte that is not 0 for a record of no bytes");
        next = at + 1;
      }
      values.push(value);
      at = next;
      at = reads.decodeQuickly(body, at, count - values.length, values);
    } catch (e) {
      if (!(e instanceof DecodeError)) throw e;
      return { values, at, error: new DecodeError(e.offset + at, e.path, e.reason) };
    }
  }
  return { values, at, error: null };
}

/** How many records a file has from a position on, and what follows it. */
export function restOf(scan: Scan, pos: Position): Finding<[number, Next]> {
  let passing: Finding<Next> | null = null;
  return () => {
    for (;;) {
      if (passing === null) {
        scan.input.forget(scan.base + pos.offset);
        const step = nextBlock(scan, pos, true);
        if (step.kind === "end") return [pos.record, { scan: null, position: pos }];
        if (step.kind === "file") return [pos.record, { scan: step.scan, position: step.position }];
        if (step.kind === "block") { pos = step.position; continue; }
        passing = passOver(scan, pos, step.resume);
      }
      const next = passing();
      if (next.scan === null || next.scan.base !== scan.base) return [pos.record, next];
      passing = null;
      pos = next.position;
    }
  };
}

/** How many records an input has, with those that are lost. Throws `Damage` if its header cannot be read. */
export function countRecords(input: Input, limit: number): number {
  new Fold({ inflate: null, resync: null, blockLimit: limit, start: 0, as: null }, input).step();
  const header = readFileHeader(input, 0) as l.FileHeader;
  let scan: Scan = { input, base: 0, marker: header.marker, limit, before: 0, header, outer: [] };
  let pos = firstIn(startAt(0, 0), 0, header);
  for (;;) {
    const [n, next] = restOf(scan, pos)();
    if (next.scan === null) return scan.before + n;
    scan = next.scan;
    pos = next.position;
  }
}
