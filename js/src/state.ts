/** A run of the exact decoder: its input, its place in the value, and its budget. */
import { DecodeError } from "./errors.js";
import { shorterCodes } from "./shapes.js";

/** What an error says of a value around it. Elements have no fields, but their announced number. */
export interface Frame { type: string; constructor: string; fields: string[][] | null; count: number }

const INNERMOST = 24;
const OUTERMOST = 8;
/** How deep values may be nested. */
export const LEVELS = 100000;
/** How many steps may be made that take no bytes. */
export const STEPS = 1048576;
/** The end of what is said about these limits. (Haskell's programs can raise them.) */
export const RAISABLE = "; withBudget raises the limit";

function entryOf(f: Frame, part: number): [string, string] {
  if (f.fields === null) return ["", part >= 0 ? `[${part}]` : ""];
  let text = f.constructor === "" ? "" : `.${f.constructor}`;
  if (part >= 0) {
    for (const w of f.fields[Math.max(0, f.fields.length - (part + 1))] ?? []) text += `.${w}`;
  }
  return [f.type, text];
}

function typeName(name: string): string {
  const m = /^Tuple(\d{1,2})$/.exec(name);
  return m === null ? name : `(${",".repeat(Math.max(0, Number(m[1]) - 1))})`;
}

/** The path through frames, the outermost first, with the number of the part in each. */
export function labels(frames: readonly Frame[], parts: readonly number[]): string {
  const entries: Array<[string, string]> = [];
  frames.forEach((f, i) => {
    const e = entryOf(f, parts[i] as number);
    if (e[0] !== "" || e[1] !== "") entries.push(e);
  });
  if (entries.length > INNERMOST + OUTERMOST) {
    entries.splice(OUTERMOST, entries.length - INNERMOST - OUTERMOST, ["", "..."]);
  }
  const out: Array<[boolean, string]> = [];
  for (const [type, rest] of entries) {
    const last = out[out.length - 1];
    if (last !== undefined && (type === "" || last[0])) last[1] += rest;
    else out.push(type === "" ? [false, rest] : [true, typeName(type) + rest]);
  }
  return out
    .map(([, t]) => (t.startsWith(".") ? t.slice(1) : t))
    .map(short)
    .join(" / ");
}

/** At most 1,000 characters, each of which may be two units of UTF-16. */
function short(t: string): string {
  const begin = [...t.slice(0, 2002)];
  return begin.length <= 1000 ? t : begin.slice(0, 1000).join("") + "..";
}

const count = (n: number | bigint, noun: string): string => (n == 1 ? `1 ${noun}` : `${n} ${noun}s`);

/** What a run of a decoder knows. `at` is the cursor. */
export class State {
  readonly view: DataView;
  readonly frames: Frame[] = [];
  readonly parts: number[] = [];
  /** Of a packed value: the byte that has its next bits, and how many of them are left there. */
  open = 0;
  room = 0;
  /** Where the value begins. Offsets count from there. */
  readonly base: number;
  private readonly budget: { steps: number };
  private readonly levels: number;

  /** A run on bytes that another run has made uses the budget of that one. */
  constructor(readonly data: Uint8Array, public at: number, readonly end: number, around: State | null = null) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    this.base = at;
    this.budget = around === null ? { steps: STEPS } : around.budget;
    this.levels = around === null ? 0 : around.levels + around.frames.length;
  }

  /** Refuse what begins at this place. */
  invalid(at: number, reason: string): never {
    throw new DecodeError(at - this.base, labels(this.frames, this.parts), short(reason));
  }

  /** Refuse an input that has fewer than n bytes left. */
  need(n: number | bigint): void {
    const left = this.end - this.at;
    if (left >= n) return;
    let announced = "";
    for (let i = this.frames.length - 1; i >= 0; i--) {
      const f = this.frames[i] as Frame;
      if (f.fields === null) { announced = ` (${count(f.count, "element")} announced)`; break; }
    }
    this.invalid(this.at, `${count(n, "byte")} needed, ${left} left${announced}`);
  }

  /** Move past n bytes, and say where they began. */
  skip(n: number | bigint): number {
    this.need(n);
    const start = this.at;
    this.at += Number(n);
    return start;
  }

  /** The next n bytes, as a copy. */
  take(n: number | bigint): Uint8Array {
    const start = this.skip(n);
    return this.data.slice(start, this.at);
  }

  /** Use steps of the budget. */
  spend(what: string, n: number | bigint): void {
    if (n > this.budget.steps) this.invalid(this.at, `more than ${STEPS}${what}${RAISABLE}`);
    this.budget.steps -= Number(n);
  }

  /** Begin a value inside of another one. */
  enter(f: Frame): void {
    if (this.levels + this.frames.length >= LEVELS) this.invalid(this.at, `nested more than ${LEVELS} levels deep${RAISABLE}`);
    this.frames.push(f);
    this.parts.push(-1);
  }

  /** End the value that began last. */
  leave(): void {
    this.frames.pop();
    this.parts.pop();
  }

  /** A part of the innermost value begins: its index, or how many fields follow it. */
  part(n: number): void {
    if (this.parts.length > 0) this.parts[this.parts.length - 1] = n;
  }

  /** An unsigned number of 64 bits in LEB128, in its shortest form. */
  varint(): bigint {
    const start = this.at;
    let n = 0n;
    for (let i = 0; i < 10; i++) {
      if (start + i >= this.end) this.need(i + 1);
      const b = this.data[start + i] as number;
      n |= BigInt(b & 127) << BigInt(7 * i);
      if (b < 128) {
        if (n >> 64n !== 0n) break;
        if (b === 0 && i > 0) this.invalid(start, "a varint that is not in its shortest form");
        this.at = start + i + 1;
        return n;
      }
    }
    return this.invalid(start, "a varint that does not fit its type");
  }

  private bit(): number {
    if (this.room === 0) {
      this.open = this.data[this.skip(1)] as number;
      this.room = 8;
    }
    this.room--;
    return (this.open >> this.room) & 1;
  }

  /** One of so many symbols of a packed value. */
  symbol(count: number): number {
    const [width, short] = shorterCodes(count);
    let n = 0;
    for (let i = 0; i < width; i++) n = 2 * n + this.bit();
    return n < short ? n : 2 * n + this.bit() - short;
  }

  /** Refuse bits that are left at the end of a packed value. */
  expectNoBits(): void {
    if ((this.open & ((1 << this.room) - 1)) !== 0) this.invalid(this.at, "bits after the last one that are not zero");
  }

  /** A length, which is not negative, but otherwise untrusted. Beyond 2^53 it is about right. */
  length(compact: boolean): number | bigint {
    const start = this.at;
    let n: bigint;
    if (compact) {
      n = this.varint();
      if (n >> 63n !== 0n) this.invalid(start, "a length that does not fit");
    } else {
      n = this.view.getBigInt64(this.skip(8), true);
      if (n < 0n) this.invalid(start, `negative length ${n}`);
    }
    return n < 0x1fffffffffffffn ? Number(n) : n;
  }

  /** Refuse bytes that are left. */
  expectEnd(): void {
    if (this.at < this.end) throw new DecodeError(this.at - this.base, "", "expected the end of the input");
  }
}
