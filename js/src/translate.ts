/** Run a program: old bytes to new bytes. */
import { concat } from "./bytes.js";
import { DecodeError } from "./errors.js";
import { Reads, run } from "./exact.js";
import { Alternative, countBytes, inner, leastRead, leastReads, Op, Program, skip } from "./ops.js";
import { Frame, State } from "./state.js";

/** New bytes, the offset that they come from, and whether they are a copy of the bytes there. */
export interface Piece { data: Uint8Array; at: number; exact: boolean }
// Fields in another order are pieces in lists of their own: moving bytes at each level would take quadratic time.
type Pieces = Array<Piece | Pieces>;
type Switch = Extract<Op, { op: "switch" }>;

/** How many bytes may be written before they are compared with those read. */
const FREE = 256;
const FRAME: Frame = { type: "", constructor: "", fields: [], count: -1 };

/** The new bytes, in pieces. What defaults add is limited. */
class Out {
  pieces: Pieces = [];
  private size = 0;
  private checkpoint = FREE;
  private charged = 0;

  constructor(private readonly start: number) {}

  put(st: State, data: Uint8Array, at: number, exact: boolean): void {
    this.size += data.length;
    if (this.size > this.checkpoint) {
      const due = Math.floor((this.size - 8 * (st.at - this.start) - FREE) / 64);
      if (due > this.charged) {
        st.spend(" steps to fill in what old data lack", due - this.charged);
        this.charged = due;
      }
      this.checkpoint = Math.max(2 * this.checkpoint, this.size);
    }
    this.pieces.push({ data, at, exact });
  }

  copy(st: State, n: number | bigint): void {
    const at = st.skip(n);
    this.put(st, st.data.subarray(at, st.at), at, true);
  }

  /** Copy bytes, or leave them out. */
  extent(st: State, keep: boolean, n: number | bigint): void {
    if (keep) this.copy(st, n); else st.skip(n);
  }
}

/** A program that is ready to run. */
export class Translation {
  private readonly least: ReadonlyMap<number, number>;
  private readonly recursive: ReadonlySet<number>;
  private readonly needs = new WeakMap<Op[], number[]>();
  private readonly branches = new WeakMap<Op[], Op[]>();
  private readonly inner = new WeakMap<Program, Translation>();

  constructor(private readonly program: Program) {
    this.least = leastReads(program.procedures);
    this.recursive = recursiveIn(program);
  }

  /** The new bytes of the value at the cursor, and the pieces that they consist of. */
  run(st: State): { bytes: Uint8Array; pieces: Piece[] } {
    const out = new Out(st.at);
    run(this.steps(this.program.main, st, out));
    const pieces = flat(out.pieces);
    return { bytes: concat(pieces.map((p) => p.data)), pieces };
  }

  private *steps(ops: Op[], st: State, out: Out): Reads {
    let needs = this.needs.get(ops);
    if (needs === undefined) { needs = needsOf(ops); this.needs.set(ops, needs); }
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i] as Op;
      st.need(needs[i] as number);
      switch (op.op) {
        case "copy": out.copy(st, op.n); break;
        case "skip": st.skip(op.n); break;
        case "put": out.put(st, op.data, st.at, false); break;
        case "block": block(op, st, out); break;
        case "before": {
          const at = st.at;
          const data = op.read(st);
          out.put(st, this.before(op.program, st, data), at, false);
          break;
        }
        case "after": {
          const at = st.at;
          out.put(st, this.after(op, st), at, false);
          break;
        }
        case "through": { const at = st.at; out.put(st, op.read(st), at, false); break; }
        case "groups": out.extent(st, op.keep, groups(st)); break;
        case "magnitude": {
          const [h, n] = leb(st, "a header that does not fit");
          out.extent(st, op.keep, BigInt(h) + (n >> (op.signed ? 1n : 0n)));
          break;
        }
        case "each": yield this.each(op, st, out); break;
        case "switch": yield this.switch(op, st, out); break;
        case "call": {
          const deep = this.recursive.has(op.number);
          if (deep) st.enter(FRAME);
          yield this.steps(this.program.procedures.get(op.number) as Op[], st, out);
          if (deep) st.leave();
          break;
        }
        case "permute": {
          const before = out.pieces;
          const found: Pieces[] = [];
          for (const group of op.groups) {
            out.pieces = [];
            yield this.steps(group, st, out);
            found.push(out.pieces);
          }
          out.pieces = before;
          for (const k of op.order) before.push(found[k] as Pieces);
          break;
        }
        case "unreadable":
      }
    }
    return null;
  }

  private nested(program: Program): Translation {
    let found = this.inner.get(program);
    if (found === undefined) { found = new Translation(program); this.inner.set(program, found); }
    return found;
  }

  /** What a program makes of bytes that are no part of the input. */
  private before(program: Program, st: State, data: Uint8Array): Uint8Array {
    try {
      return this.nested(program).run(new State(data, 0, data.length, st)).bytes;
    } catch (e) {
      if (!(e instanceof DecodeError)) throw e;
      return st.invalid(st.at, `in bytes of their own, ${e.message}`);
    }
  }

  /** What a decoder makes of the bytes that a program writes. */
  private after(op: Extract<Op, { op: "after" }>, st: State): Uint8Array {
    const found = this.nested(op.program).run(st);
    const own = new State(found.bytes, 0, found.bytes.length, st);
    try {
      return op.read(own);
    } catch (e) {
      throw atOrigin(e, found.pieces, st);
    }
  }

  private *switch(op: Switch, st: State, out: Out): Reads {
    const found = op.alternatives[tagOf(op, st)] as Alternative;
    if (typeof found === "string") return st.invalid(st.at, found);
    if (isTags(op)) {
      // The tag and what follows it stay together.
      const size = found.slice(1).reduce((n, x) => n + (constant(x) ?? 0), 0);
      st.need(1 + size);
      out.put(st, (found[0] as { data: Uint8Array }).data, st.at, true);
      st.at++;
      out.copy(st, size);
      return null;
    }
    let branch = this.branches.get(found);
    if (branch === undefined) { branch = [skip(op.width), ...found]; this.branches.set(found, branch); }
    yield this.steps(branch, st, out);
    return null;
  }

  private *each(op: Extract<Op, { op: "each" }>, st: State, out: Out): Reads {
    const [h, n] = counted(op.old, op.least, st);
    if (op.next === null) st.at += h;
    else if (op.next === op.old) out.copy(st, h);
    else {
      out.put(st, countBytes(op.next, Number(n)), st.at, false);
      st.at += h;
    }
    // What is asked below takes time for each step, which no element pays for here.
    if (n === 0n) return null;
    if (leastRead(this.least, op.ops) <= 0) st.spend(" elements of no bytes", n);
    // Elements of simple steps only are read step by step.
    if (op.ops.every(isSimple)) this.needs.set(op.ops, op.ops.map(() => 0));
    for (let i = 0; i < n; i++) yield this.steps(op.ops, st, out);
    return null;
  }
}

function flat(pieces: Pieces): Piece[] {
  const out: Piece[] = [];
  const work: Pieces = [...pieces].reverse();
  for (let p = work.pop(); p !== undefined; p = work.pop()) {
    if (Array.isArray(p)) for (let i = p.length - 1; i >= 0; i--) work.push(p[i] as Piece); else out.push(p);
  }
  return out;
}

/** The offset of the old byte that a new byte comes from; the end, if it is after the last one. */
function origin(pieces: readonly Piece[], k: number, end: number): number {
  for (const p of pieces) {
    if (k < p.data.length) return p.exact ? p.at + k : p.at;
    k -= p.data.length;
  }
  return end;
}

/** An error about new bytes, given where they come from, as one about the old bytes before the cursor. */
export function atOrigin(e: unknown, pieces: readonly Piece[], st: State): unknown {
  return e instanceof DecodeError ? new DecodeError(origin(pieces, e.offset, st.at) - st.base, e.path, e.reason) : e;
}

const callees = (ops: Op[]): number[] => ops.flatMap((op) => (op.op === "call" ? [op.number] : inner(op).flatMap(callees)));

/** The procedures that are called while they run. */
function recursiveIn(p: Program): Set<number> {
  const found = new Set<number>();
  const done = new Set<number>();
  const inside = new Set<number>();
  const work: Array<[number, boolean]> = callees(p.main).reverse().map((i) => [i, false]);
  for (let x = work.pop(); x !== undefined; x = work.pop()) {
    const [i, leaves] = x;
    if (leaves) { inside.delete(i); done.add(i); } else if (inside.has(i)) found.add(i);
    else if (!done.has(i)) {
      inside.add(i);
      work.push([i, true]);
      for (const j of [...new Set(callees(p.procedures.get(i) as Op[]))].sort((a, b) => b - a)) work.push([j, false]);
    }
  }
  return found;
}

/** The number of bytes of a number in LEB128. */
function groups(st: State): number {
  for (let i = 0; i < 10; i++) {
    st.need(i + 1);
    if ((st.data[st.at + i] as number) < 128) return i + 1;
  }
  return st.invalid(st.at, "a varint of more than 10 bytes");
}

/** A number in LEB128 that is not negative: how many bytes it takes, and the number. */
function leb(st: State, message: string): [number, bigint] {
  let n = 0n;
  for (let i = 0; i < 9; i++) {
    st.need(i + 1);
    const b = st.data[st.at + i] as number;
    n |= BigInt(b & 127) << BigInt(7 * i);
    if (b < 128) {
      if (b === 0 && i > 0) st.invalid(st.at, "a varint that is not in its shortest form");
      if (n > ((1n << 63n) - 1n) / 4n) break;
      return [i + 1, n];
    }
  }
  return st.invalid(st.at, message);
}

/** A count: how many bytes it takes, and the number. The cursor stays. */
function counted(compact: boolean, least: number, st: State): [number, bigint] {
  let found: [number, bigint];
  if (compact) found = leb(st, "a length that does not fit");
  else {
    st.need(8);
    found = [8, st.view.getBigInt64(st.at, true)];
    if (found[1] < 0n) st.invalid(st.at, `negative length ${found[1]}`);
  }
  if (found[1] < least) st.invalid(st.at, "NonEmpty: no elements");
  return found;
}

function block(op: Extract<Op, { op: "block" }>, st: State, out: Out): void {
  const [h, n] = counted(op.old, op.least, st);
  const width = BigInt(op.width);
  if (op.width > 0 && n > ((1n << 63n) - 17n) / width) st.invalid(st.at, "a length that does not fit");
  const all = BigInt(h) + n * width;
  if (op.next === null || op.next === op.old) { out.extent(st, op.next !== null, all); return; }
  // Write nothing for a length before the bytes that it announces are there.
  st.need(all);
  out.put(st, countBytes(op.next, Number(n)), st.at, false);
  st.at += h;
  out.copy(st, n * width);
}

function tagOf(op: Switch, st: State): number {
  if (op.width === 0) st.invalid(st.at, `${op.name} has no values`);
  st.need(op.width);
  const tag = op.width === 1 ? (st.data[st.at] as number) : st.view.getUint16(st.at, true);
  if (tag >= op.alternatives.length) st.invalid(st.at, `${op.name}: there is no constructor ${tag}`);
  return tag;
}

/** Has each alternative a tag of one byte, and perhaps bytes that are copied? */
function isTags(op: Switch): boolean {
  return op.width === 1 && op.alternatives.every((a) => {
    if (typeof a === "string" || a.length < 1 || a.length > 2) return false;
    const first = a[0] as Op;
    return first.op === "put" && first.data.length === 1 && (a[1] === undefined || a[1].op === "copy");
  });
}

/** How many bytes a step reads, if that is constant. */
function constant(op: Op): number | null {
  if (op.op === "copy" || op.op === "skip") return op.n;
  if (op.op === "through") return op.size;
  return op.op === "put" ? 0 : null;
}

function isSimple(op: Op): boolean {
  if (op.op === "block") return op.old === false && op.next === false && op.least === 0 && op.width > 0;
  return constant(op) !== null || (op.op === "switch" && isTags(op));
}

/**
 * How many bytes to make sure of before each step. Adjacent steps of constant size are one check, unless they are among
 * others that are simple, too. (So errors are those of Haskell.)
 */
function needsOf(ops: Op[]): number[] {
  const needs = ops.map(() => 0);
  const runEnd = (i: number, good: (op: Op) => boolean): number => {
    while (i < ops.length && good(ops[i] as Op)) i++;
    return i;
  };
  for (let i = 0; i < ops.length;) {
    let end = runEnd(i, isSimple);
    if (end - i >= 3 && ops.slice(i, end).some((op) => constant(op) === null)) { i = end; continue; }
    end = runEnd(i, (op) => constant(op) !== null);
    if (end > i) needs[i] = ops.slice(i, end).reduce((n, op) => n + (constant(op) ?? 0), 0);
    i = Math.max(end, i + 1);
  }
  return needs;
}
