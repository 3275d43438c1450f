/**
 * Procedures that are to be planned. An old schema may come with the data, so it is untrusted. Each pair of definitions
 * becomes a procedure once, from a queue, so planning takes time in proportion to the pairs and no stack.
 */
import { components } from "./facts.js";
import { AROUND_ALL, inEvolutionOf, Mismatch, MismatchKind } from "./mismatch.js";
import { Op, switching } from "./ops.js";
import { Definition, fieldShapes, Shape } from "./shapes.js";

/** A field that may be converted: its name, its type, and its name in the evolution of that. */
export interface Place { text: string; type: string; field: string }

/** The path in the new schema, the last segment first. */
export type Path = { here: string | Place; outer: Path } | null;

/** A path with another segment. */
export const below = (outer: Path, here: string | Place): Path => ({ here, outer });

/** What may be wrapped around the old value where the shapes do not match. */
export interface Wrapping { maybe: boolean; list: boolean }
export const FREE: Wrapping = { maybe: true, list: true };

/** A procedure: for a pair of definitions, for an old shape and a new recursive newtype, or one that drops a definition or a packed value. */
export type Key =
  | { kind: "pair"; inKey: boolean; old: number; next: number }
  | { kind: "wrapped"; inKey: boolean; next: number; shape: Shape; wrapping: Wrapping }
  | { kind: "dropping"; old: number }
  | { kind: "droppingPacked"; shape: Shape };

/** A key, or a shape, as a text that only equal ones have. */
export const textOf = (x: Key | Shape): string =>
  JSON.stringify(x, (_, v: unknown) => (typeof v === "bigint" ? `${v}n` : v instanceof Uint8Array ? [...v] : v));

/** A path as it is shown. */
export function pathText(path: Path): string {
  const out: string[] = [];
  for (let p = path; p !== null; p = p.outer) out.push(typeof p.here === "string" ? p.here : p.here.text);
  return out.reverse().join("");
}

/** Does a path contain a field that may be converted? */
export function placeIn(path: Path): Place | null {
  for (let p = path; p !== null; p = p.outer) if (typeof p.here !== "string") return p.here;
  return null;
}

/** The advice to convert the value around this path. */
export function converting(path: Path): string {
  const place = placeIn(path);
  return place === null ? AROUND_ALL : inEvolutionOf(place.type, [["say how with converted NAME", place.field]]);
}

/** Fail at a path. What has changed into something else can be converted, where a field allows it. */
export function bad(path: Path, kind: MismatchKind, ...names: string[]): never {
  const final = ["NotDescribed", "IsIrregular", "HasNoValues", "TooLarge"].includes(kind);
  throw new Mismatch(pathText(path), kind, names, final ? null : converting(path));
}

/** The state of planning. */
export class Planner {
  readonly queue: Array<{ number: number; key: Key; path: Path }> = [];
  readonly done = new Map<number, Op[]>();
  private readonly numbers = new Map<string, number>();

  /** How much work may be done. */
  constructor(public left = 10000000) {}

  /** A call of a procedure. It is put into the queue, unless it has been before. */
  call(path: Path, key: Key): Op[] {
    const text = textOf(key);
    let number = this.numbers.get(text);
    if (number === undefined) {
      const count = this.numbers.size;
      number = key.kind === "dropping" || key.kind === "droppingPacked" ? -1 - count : count;
      this.numbers.set(text, number);
      this.queue.push({ number, key, path });
    }
    return [{ op: "call", number }];
  }

  /** Count fields and constructors. */
  spend(path: Path, n: number): void {
    this.left -= n;
    if (this.left < 0) bad(path, "TooLarge");
  }
}

/** Each definition without newtypes around it. `null` for a newtype that wraps nothing but itself. */
export function peelings(definitions: readonly Definition[]): Array<Shape | null> {
  const known = definitions.map((_, to): Shape | null => ({ k: "reference", to }));
  const wrapped = new Map<number, Shape>();
  definitions.forEach((d, i) => { if (d.form === "newtype") wrapped.set(i, unpackedPart(fieldShapes(d)[0] as Shape)); });
  const [order, cyclic] = components(new Map([...wrapped].map(([i, x]) => [i, x.k === "reference" ? [x.to] : []])));
  for (const i of order) {
    const x = wrapped.get(i) as Shape;
    known[i] = cyclic.has(i) ? null : x.k === "reference" ? (known[x.to] as Shape | null) : x;
  }
  return known;
}

/** A shape without newtypes around it, given the definitions without them. */
export function peeled(known: ReadonlyArray<Shape | null>, s: Shape): Shape | null {
  s = unpackedPart(s);
  return s.k === "reference" ? (known[s.to] as Shape | null) : s;
}

/** What is unpacked. A program sees an unpacked shape only outside of a packed one, where it changes nothing. */
export function unpackedPart(s: Shape): Shape {
  while (s.k === "unpacked") s = s.of;
  return s;
}

/** The steps for a newtype of itself, which has no values. Has the new type none either? */
export const noValues = (exact: boolean): Op[] => [switching("a newtype of itself", 0, exact, [])];
