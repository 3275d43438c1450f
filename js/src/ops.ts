/** Programs that turn the bytes of an old schema into those of a new one. */
import { concat, sameBytes, Sink } from "./bytes.js";
import { Mismatch } from "./mismatch.js";
import { State } from "./state.js";

/** What becomes of a constructor: a program, or why it is refused. */
export type Alternative = string | Op[];

/** A step of a program. A count is in LEB128 or not (`old`, `next`); `next` is `null` if all is left out. */
export type Op =
  /** Copy bytes, or leave them out. */
  | { op: "copy" | "skip"; n: number }
  /** Write bytes. */
  | { op: "put"; data: Uint8Array }
  /** A number in LEB128, copied or left out. */
  | { op: "groups"; keep: boolean }
  /** The header and the bytes of an `Integer` (signed) or a `Natural`. */
  | { op: "magnitude"; keep: boolean; signed: boolean }
  /** A count, and that many elements of constant size. */
  | { op: "block"; old: boolean; next: boolean | null; least: number; width: number }
  /** A count, and that many elements that need a program. */
  | { op: "each"; old: boolean; next: boolean | null; least: number; ops: Op[] }
  /** A tag. Does the decoder of today refuse all tags that this does? */
  | { op: "switch"; name: string; width: number; exact: boolean; alternatives: Alternative[] }
  /** A procedure. Those that leave out what they read have negative numbers. */
  | { op: "call"; number: number }
  /** Groups in old order, and their numbers in new order. */
  | { op: "permute"; groups: Op[][]; order: number[] }
  /** Write what a decoder makes of the bytes. Is it the same bytes? How many it reads, if that is constant. */
  | { op: "through"; exact: boolean; read: (st: State) => Uint8Array; size: number | null }
  /** Run a program on what a decoder makes of the bytes. */
  | { op: "before"; read: (st: State) => Uint8Array; program: Program }
  /** Write what a decoder makes of the bytes that a program writes. */
  | { op: "after"; program: Program; read: (st: State) => Uint8Array }
  /** A part whose end is not known. A program may have one only if it changes nothing. */
  | { op: "unreadable"; mismatch: Mismatch };

/** The main program, and procedures. */
export interface Program { main: Op[]; procedures: ReadonlyMap<number, Op[]> }

export const copy = (n: number): Op => ({ op: "copy", n });
export const skip = (n: number): Op => ({ op: "skip", n });
export const through = (exact: boolean, read: (st: State) => Uint8Array, size: number | null): Op =>
  ({ op: "through", exact, read, size });
export const put = (data: Uint8Array): Op => ({ op: "put", data });
export const each = (old: boolean, next: boolean | null, least: number, ops: Op[]): Op => ({ op: "each", old, next, least, ops });
export const switching = (name: string, width: number, exact: boolean, alternatives: Alternative[]): Op =>
  ({ op: "switch", name, width, exact, alternatives });

/** The bytes of a tag. */
export function tagBytes(width: number, i: number): Uint8Array {
  return Uint8Array.of(i & 255, i >> 8).slice(0, width);
}

/** The bytes of a count. */
export function countBytes(compact: boolean, n: number): Uint8Array {
  const out = new Sink();
  out.count(n, compact);
  return out.slice();
}

const putsTag = (op: Op | undefined, width: number, i: number): boolean =>
  op !== undefined && op.op === "put" && sameBytes(op.data, tagBytes(width, i));

/** Does a program write what it reads, and is all that it refuses refused by the decoder of today? */
export function isIdentity(p: Program): boolean {
  const work = [p.main, ...p.procedures.values()];
  const same = (op: Op): boolean => {
    switch (op.op) {
      case "copy": case "unreadable": return true;
      case "skip": return op.n === 0;
      case "put": return op.data.length === 0;
      case "groups": case "magnitude": return op.keep;
      case "each": work.push(op.ops); return op.old === op.next && op.least === 0;
      case "block": return op.old === op.next && op.least === 0;
      case "switch":
        return op.exact && op.alternatives.every((a, i) => {
          if (typeof a === "string") return true;
          work.push(a.slice(1));
          return putsTag(a[0], op.width, i);
        });
      case "call": return op.number >= 0;
      case "through": return op.exact;
      default: return false;
    }
  };
  for (let ops = work.pop(); ops !== undefined; ops = work.pop()) if (!ops.every(same)) return false;
  return true;
}

/** The programs directly inside of a step. */
export function inner(op: Op): Op[][] {
  switch (op.op) {
    case "each": return [op.ops];
    case "switch": return op.alternatives.filter((a): a is Op[] => typeof a !== "string");
    case "permute": return op.groups;
    default: return [];
  }
}

/** A part whose end is not known. */
export function unreadable(p: Program): Mismatch | null {
  const find = (ops: Op[]): Mismatch | null => {
    for (const op of ops) {
      if (op.op === "unreadable") return op.mismatch;
      for (const more of inner(op)) {
        const found = find(more);
        if (found !== null) return found;
      }
    }
    return null;
  };
  for (const ops of [p.main, ...p.procedures.values()]) {
    const found = find(ops);
    if (found !== null) return found;
  }
  return null;
}

/** Join adjacent steps, and leave out steps that do nothing. */
export function tidy(ops: Op[]): Op[] {
  const out: Op[] = [];
  for (const op of ops.flatMap(tidied)) {
    const before = out[out.length - 1];
    if ((op.op === "copy" || op.op === "skip") && op.n === 0) continue;
    if (op.op === "put" && op.data.length === 0) continue;
    if ((op.op === "copy" || op.op === "skip") && before !== undefined && before.op === op.op) {
      out[out.length - 1] = { op: op.op, n: (before as { n: number }).n + op.n };
    } else if (op.op === "put" && before !== undefined && before.op === "put") {
      out[out.length - 1] = put(concat([before.data, op.data]));
    } else out.push(op);
  }
  return out;
}

function tidied(op: Op): Op[] {
  switch (op.op) {
    case "each": {
      const ops = tidy(op.ops);
      const only = ops.length === 1 ? ops[0] : undefined;
      if (only !== undefined && (only.op === "copy" || only.op === "skip") && only.op === (op.next === null ? "skip" : "copy")) {
        return [{ op: "block", old: op.old, next: op.next, least: op.least, width: only.n }];
      }
      return [{ ...op, ops }];
    }
    case "switch": {
      const found = op.alternatives.map((a) => (typeof a === "string" ? a : tidy(a)));
      const plain = found.every((a, i) => typeof a === "string" || (a.length === 1 && putsTag(a[0], op.width, i)));
      return op.exact && plain ? [copy(op.width)] : [{ ...op, alternatives: found }];
    }
    case "permute": {
      const groups = op.groups.map(tidy);
      return groups.length === 1 ? (groups[0] as Op[]) : [{ ...op, groups }];
    }
    default: return [op];
  }
}

/**
 * The same program without calls of procedures that do nothing. A schema may refer to a record without fields any
 * number of times, and each element of a list would make all these calls.
 */
export function withoutEmpty({ main, procedures }: Program): Program {
  // Procedures that do nothing but call others, and how many of these calls are left.
  const left = new Map([...procedures].filter(([, ops]) => ops.every((op) => op.op === "call")).map(([i, ops]) => [i, ops.length]));
  const callers = new Map<number, number[]>();
  for (const i of left.keys()) {
    for (const op of procedures.get(i) as Op[]) {
      if (op.op !== "call") continue;
      const known = callers.get(op.number);
      if (known === undefined) callers.set(op.number, [i]);
      else known.push(i);
    }
  }
  const work = [...left].filter(([, n]) => n === 0).map(([i]) => i);
  const empty = new Set(work);
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    for (const caller of callers.get(i) ?? []) {
      const n = (left.get(caller) as number) - 1;
      left.set(caller, n);
      if (n === 0) { empty.add(caller); work.push(caller); }
    }
  }
  if (empty.size === 0) return { main, procedures };
  const without = (ops: Op[]): Op[] => tidy(ops.flatMap((op): Op[] => {
    switch (op.op) {
      case "call": return empty.has(op.number) ? [] : [op];
      case "each": return [{ ...op, ops: without(op.ops) }];
      case "switch": return [{ ...op, alternatives: op.alternatives.map((a) => (typeof a === "string" ? a : without(a))) }];
      case "permute": return [{ ...op, groups: op.groups.map(without) }];
      default: return [op];
    }
  }));
  const rest = [...procedures].filter(([i]) => !empty.has(i)).map(([i, ops]): [number, Op[]] => [i, without(ops)]);
  return { main: without(main), procedures: new Map(rest) };
}

/** The least number of bytes that each procedure reads: a lower bound. */
export function leastReads(procedures: ReadonlyMap<number, Op[]>): Map<number, number> {
  let known = new Map<number, number>();
  // What matters most is whether it reads bytes at all. (Records may be nested deeply before the first.)
  for (let i = 0; i < 64; i++) {
    const before = known;
    known = new Map([...procedures].map(([k, ops]) => [k, leastRead(before, ops)]));
    if (i >= 3 && [...known].every(([k, n]) => n === 0 || (before.get(k) ?? 0) > 0)) break;
  }
  return known;
}

/** The least number of bytes that some steps read, given those of the procedures. */
export function leastRead(known: ReadonlyMap<number, number>, ops: Op[]): number {
  const of = (op: Op): number => {
    switch (op.op) {
      case "copy": case "skip": return op.n;
      // (A packed value that has no bytes is charged by its own decoder.)
      case "through": return op.size ?? 1;
      case "before": return 1;
      case "groups": case "magnitude": return 1;
      case "block": case "each": return op.old ? 1 : 8;
      case "switch": return op.width;
      case "call": return known.get(op.number) ?? 0;
      case "permute": return op.groups.reduce((n, g) => n + leastRead(known, g), 0);
      case "after": return leastRead(leastReads(op.program.procedures), op.program.main);
      default: return 0;
    }
  };
  return Math.min(ops.reduce((n, op) => n + of(op), 0), 2 ** 52);
}
