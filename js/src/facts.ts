/** What is known of a schema's values before there are any. */
import { children, Definition, fieldShapes, inAnyFormat, Leaf, mapShapes, NUMBERS, references, Shape, tagSize } from "./shapes.js";

/** The least number of parts and of bytes of a value, or of bits in the packed format. */
export type Cost = readonly [number, number];

const MOST = 0x1000000;
/** Sizes are cut off here. The bytes may come after the parts, and need not be there: they pay for 2^20 parts at most. */
const MOST_SIZE = 0x4000;
const plus = (a: Cost, b: Cost): Cost => [Math.min(MOST, a[0] + b[0]), Math.min(MOST_SIZE, a[1] + b[1])];

/** The parts of a shape that are not in its definitions. */
export function ownParts(s: Shape): number {
  if (s.k === "tuple") return s.of.reduce((n, x) => n + ownParts(x), 1);
  return s.k === "array" ? 1 + 2 * ownParts(s.index) : 1;
}

/** The least number of bytes of a leaf. */
export function leastOfLeaf(l: Leaf): number {
  const n = NUMBERS.get(l.type);
  if (n !== undefined) return l.enc === "" || l.enc === "bigEndian" ? n[0] : 1;
  switch (l.type) {
    case "unit": return 0;
    case "float32": case "char": case "scalarValue": return 4;
    case "float64": case "utf16": return 8;
    case "bytes": case "byteArray": case "utf8": return l.compact ? 1 : 8;
    default: return 1;
  }
}

/** The nodes of a graph with those that they lead to before them, and the nodes on cycles. */
export function components(graph: ReadonlyMap<number, number[]>): [number[], Set<number>] {
  const order: number[] = [];
  const cyclic = new Set<number>();
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const on = new Set<number>();
  const get = (m: Map<number, number>, k: number): number => m.get(k) as number;
  for (const root of graph.keys()) {
    if (index.has(root)) continue;
    const work: Array<[number, number]> = [[root, 0]];
    while (work.length > 0) {
      const top = work[work.length - 1] as [number, number];
      const v = top[0];
      if (top[1] === 0) {
        index.set(v, index.size); low.set(v, get(index, v)); stack.push(v); on.add(v);
      }
      const next = graph.get(v) as number[];
      const w = next[top[1]];
      if (w !== undefined) {
        top[1]++;
        if (!graph.has(w)) continue;
        if (!index.has(w)) work.push([w, 0]);
        else if (on.has(w)) low.set(v, Math.min(get(low, v), get(index, w)));
        if (w === v) cyclic.add(v);
        continue;
      }
      if (next.length === 0) top[1] = 1;
      if (get(low, v) === get(index, v)) {
        const from = stack.lastIndexOf(v);
        const members = stack.splice(from);
        for (const m of members) { on.delete(m); order.push(m); if (members.length > 1) cyclic.add(m); }
      }
      work.pop();
      const outer = work[work.length - 1];
      if (outer !== undefined) low.set(outer[0], Math.min(get(low, outer[0]), get(low, v)));
    }
  }
  return [order, cyclic];
}

/** The definitions of which every value of a shape contains a value. */
function certain(s: Shape): number[] {
  if (s.k === "reference") return [s.to];
  if (s.k === "tuple") return s.of.flatMap(certain);
  if (s.k === "packed" || s.k === "unpacked") return certain(s.of);
  return s.k === "array" ? certain(s.index) : [];
}

/** A shape without its newtypes, given what stands for each definition. */
export function unwrapped(bare: readonly Shape[], s: Shape): Shape {
  return s.k === "reference" ? (bare[s.to] as Shape) : mapShapes((x) => unwrapped(bare, x), s);
}

/** The costs of all shapes in a format. In the packed one, the least numbers are of bits: a number or a length has eight. */
export class Costs {
  private readonly definitions: Cost[];
  /** How many units of size are a byte. */
  private readonly units: number;

  /** The definitions that are not endless are in an order in which each is after those that it contains. */
  constructor(definitions: readonly Definition[], order: readonly number[], private readonly packed: boolean) {
    this.units = packed ? 8 : 1;
    this.definitions = definitions.map((d): Cost => (d.form === "sum" ? [1, this.tag(d.constructors.length)] : [MOST, 0]));
    for (const i of order) this.definitions[i] = this.ofAll(fieldShapes(definitions[i] as Definition));
  }

  /** That of a tag, given the number of constructors. */
  tag(count: number): number {
    return this.packed ? Number(count > 1) : tagSize(count);
  }

  private size(n: number): number {
    return Math.min(MOST_SIZE, this.units * n);
  }

  private leaf(l: Leaf): number {
    if (!this.packed) return leastOfLeaf(l);
    return l.type === "bool" ? 1 : 8 * Math.min(1, leastOfLeaf(l));
  }

  /** The cost of a shape. */
  of(s: Shape): Cost {
    switch (s.k) {
      case "leaf": return [1, this.leaf(s)];
      case "between": return [1, this.leaf(s.leaf)];
      case "ratio": { const c = this.of(s.of); return plus(c, c); }
      case "maybe": return [1, this.tag(2)];
      case "tuple": return this.ofAll(s.of);
      case "list": case "nonEmpty": case "set": case "map": return [1, s.compact && !this.packed ? 1 : 8];
      case "array": { const c = this.of(s.index); return plus(plus(c, c), [1, 8]); }
      case "constant": return [1, this.size(s.bytes.length)];
      case "reference": return this.definitions[s.to] as Cost;
      case "opaque": return [1, this.size(Number(s.size ?? 0n))];
      case "irregular": return [1, 0];
      // (A packed value of no bytes is a step.)
      case "packed": return this.packed ? this.of(s.of) : [1, 1];
      case "unpacked": return this.of(s.of);
    }
  }

  /** The cost of a value with parts of these shapes. */
  ofAll(shapes: readonly Shape[]): Cost {
    return plus([1, 0], this.together(shapes));
  }

  /** The cost of values of these shapes, one after another. */
  together(shapes: readonly Shape[]): Cost {
    return shapes.reduce((c: Cost, s) => plus(c, this.of(s)), [0, 0]);
  }

  /** Are there few parts for the size, and this much besides? */
  fair(c: Cost, more = 0): boolean {
    return this.units * c[0] <= 64 * (more + c[1]);
  }

  /** Has an element of this shape, if it has no bytes, so few parts that its container counts them? */
  fewParts(s: Shape): boolean {
    return this.of(s)[0] <= 64;
  }
}

/** What decoding, JSON and evolution ask of the definitions of a schema. */
export class Facts {
  /** What to write for a reference to each definition: newtypes are what they wrap. */
  readonly bare: Shape[];
  /** The definitions whose values always contain another one of the definition. */
  readonly endless: ReadonlySet<number>;
  /** The newtypes that wrap themselves. */
  readonly recursive: ReadonlySet<number>;
  readonly plain: Costs;
  readonly packed: Costs;
  /** The definitions whose order, or that of a part, is not known. */
  readonly unordered: ReadonlySet<number>;
  /** For newtypes that have been asked for: is the value optional? */
  private readonly optional = new Map<number, boolean>();

  constructor(readonly definitions: readonly Definition[]) {
    const always = new Map<number, number[]>();
    definitions.forEach((d, i) => { if (d.form !== "sum") always.set(i, fieldShapes(d).flatMap(certain)); });
    const [order, endless] = components(always);
    this.endless = endless;
    const finite = order.filter((i) => !endless.has(i));
    this.plain = new Costs(definitions, finite, false);
    this.packed = new Costs(definitions, finite, true);
    const wrapped = new Map<number, Shape>();
    definitions.forEach((d, i) => { if (d.form === "newtype") wrapped.set(i, fieldShapes(d)[0] as Shape); });
    const [unwrapOrder, recursive] = components(new Map([...wrapped].map(([i, s]) => [i, references(s)])));
    this.recursive = recursive;
    this.bare = definitions.map((_, to): Shape => ({ k: "reference", to }));
    const sizes = definitions.map(() => 1);
    const sizeOf = (s: Shape): number =>
      s.k === "reference" ? (sizes[s.to] as number) : children(s).reduce((n, x) => Math.min(101, n + sizeOf(x)), 1);
    for (const i of unwrapOrder) {
      const s = wrapped.get(i) as Shape;
      const n = sizeOf(s);
      if (!recursive.has(i) && n <= 100) { this.bare[i] = unwrapped(this.bare, s); sizes[i] = n; }
    }
    this.unordered = this.findUnordered();
  }

  private findUnordered(): Set<number> {
    const users = new Map<number, number[]>();
    const work: number[] = [];
    const seen = new Set<number>();
    this.definitions.forEach((d, i) => {
      const shapes = fieldShapes(d);
      if (d.order === "unknown" || !shapes.every((s) => isOrdered(seen, s))) work.push(i);
      for (const r of shapes.flatMap(references)) {
        const known = users.get(r);
        if (known === undefined) users.set(r, [i]);
        else known.push(i);
      }
    });
    for (let i = work.pop(); i !== undefined; i = work.pop()) {
      if (!seen.has(i)) { seen.add(i); for (const user of users.get(i) ?? []) work.push(user); }
    }
    return seen;
  }

  /** May a value of the shape have what takes steps of a reader's budget, as elements of no bytes do? */
  haveSteps(root: Shape): boolean {
    const counted = (more: number, s: Shape): boolean => !this.plain.fair(this.plain.of(s), more) || !this.packed.fair(this.packed.of(s), more);
    const tuple = (of: Shape[]): Shape => ({ k: "tuple", of });
    const work = [root];
    for (const d of this.definitions) {
      const more = d.form === "sum" ? this.packed.tag(d.constructors.length) : 1;
      for (const shapes of d.constructors.map((c) => c.fields.map((f) => f.shape))) {
        if (shapes.length > 0 && counted(more, tuple(shapes))) return true;
        for (const s of shapes) work.push(s);
      }
    }
    for (let s = work.pop(); s !== undefined; s = work.pop()) {
      if (counted(1, s)) return true;
      // A fraction of large numbers takes steps to be checked.
      if (s.k === "ratio" && !(s.of.k === "leaf" && NUMBERS.has(s.of.type))) return true;
      const part = s.k === "map" ? tuple(children(s)) : s.k === "maybe" || s.k === "tuple" || !("of" in s) ? null : s.of;
      if (part !== null && counted(0, part)) return true;
      for (const x of children(s)) work.push(x);
    }
    return false;
  }

  /** A shape that is no newtype, unless that is recursive, and in no format of its own. */
  bareShape(s: Shape): Shape {
    s = inAnyFormat(s);
    return s.k === "reference" ? inAnyFormat(this.bare[s.to] as Shape) : s;
  }

  /** Is a value of the shape an optional one, whatever newtypes are around it? */
  mayBeNull(s: Shape): boolean {
    const chain: number[] = [];
    for (s = inAnyFormat(s); s.k === "reference" && !this.optional.has(s.to); s = inAnyFormat(s)) {
      // (Until it is known: a newtype of itself is none.)
      this.optional.set(s.to, false);
      const d = this.definitions[s.to] as Definition;
      if (d.form !== "newtype") return false;
      chain.push(s.to);
      s = fieldShapes(d)[0] as Shape;
    }
    const found = s.k === "reference" ? this.optional.get(s.to) as boolean : s.k === "maybe";
    for (const i of chain) this.optional.set(i, found);
    return found;
  }
}

/** Is the order of such values known, given the definitions whose order is not? */
export function isOrdered(unordered: ReadonlySet<number>, s: Shape): boolean {
  if (s.k === "reference") return !unordered.has(s.to);
  if (s.k === "array" || s.k === "opaque" || s.k === "irregular") return false;
  return children(s).every((x) => isOrdered(unordered, x));
}

/** Do bounds of this shape say how many indices there are? */
export function isPlain(s: Shape): boolean {
  if (s.k === "between") return true;
  if (s.k === "tuple") return s.of.every(isPlain);
  return s.k === "leaf" && !["float32", "float64", "bytes", "byteArray", "utf8", "utf16"].includes(s.type);
}
