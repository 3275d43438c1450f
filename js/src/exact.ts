/**
 * The decoder that defines what is refused, and with which words. It is slow. The compiled one gives up where anything
 * is out of the ordinary, and this one reads the value again. It keeps its own stack, so values may be nested deep.
 */
import { Costs, Facts, isOrdered, isPlain, ownParts } from "./facts.js";
import { leafReader } from "./leafread.js";
import { Constructor, cut, Definition, isSmall, Leaf, packedLeaf, Shape, tagSize } from "./shapes.js";
import { Frame, State } from "./state.js";
import { compare, gcd, indicesBetween, recordMaker, taggedMaker } from "./values.js";

/** A computation that yields those that it waits for. */
export type Reads = Generator<Reads, unknown, unknown>;
/** Does it read by a generator, or at once? */
interface Node { gen: ((st: State) => Reads) | null; now: (st: State) => unknown }

const atOnce = (now: (st: State) => unknown): Node => ({ gen: null, now });
const nesting = (gen: (st: State) => Reads): Node => ({ gen, now: (st) => run(gen(st)) });

/** Run a generator that yields those that it waits for. */
export function run(first: Reads): unknown {
  const stack: Reads[] = [first];
  let value: unknown;
  for (let top = stack[0]; top !== undefined; top = stack[stack.length - 1]) {
    const r = top.next(value);
    if (r.done === true) { stack.pop(); value = r.value; } else { stack.push(r.value); value = undefined; }
  }
  return value;
}

const bound = (k: bigint): string => ((k < 0n ? -k : k) < 1n << 256n ? String(k) : "the bound of the type");
const frameOf = (type: string, constructor: string, fields: string[][]): Frame =>
  ({ type, constructor, fields, count: -1 });
const EMPTIES = " elements of no bytes";

function byteLength(n: bigint): number {
  return ((n < 0n ? -n : n).toString(16).length + 1) >> 1;
}

/** Reads a packed value, given the reader of what is packed. */
function withBits(node: Node): Node {
  return nesting(function* (st): Reads {
    const { at, open, room } = st;
    st.room = 0;
    const value = node.gen === null ? node.now(st) : yield node.gen(st);
    st.expectNoBits();
    // It may stand in a part of another packed value that is not packed.
    st.open = open;
    st.room = room;
    if (st.at === at) st.spend(EMPTIES, 1);
    return value;
  });
}

/** What a derived instance says of a tag that is too large. */
function tagText(name: string, count: number, tag: number): string {
  const tags = count === 1 ? "1 constructor (tag 0)"
    : count === 2 ? "2 constructors (tags 0 and 1)" : `${count} constructors (tags 0 to ${count - 1})`;
  return `constructor tag ${tag}, but ${name} has ${tags}`;
}

/** A decoder of values of a schema. `derived` gives the words of Haskell's derived instances. */
export class Exact {
  private readonly root: Node;

  constructor(root: Shape, facts: Facts, derived = false) {
    this.root = new Format(facts, derived).uncovered(root);
  }

  /** Read a value at the cursor. */
  read(st: State): unknown {
    return this.root.now(st);
  }
}

/** Decoders of shapes in the plain format, or in the packed one. */
class Format {
  private readonly known = new Map<number, Node>();
  private readonly costs: Costs;
  private readonly inPlain: Format;
  private readonly inPacked: Format;

  constructor(private readonly facts: Facts, private readonly derived: boolean, plain: Format | null = null) {
    this.costs = plain === null ? facts.plain : facts.packed;
    this.inPlain = plain ?? this;
    this.inPacked = plain === null ? new Format(facts, derived, this) : this;
  }

  // A covered shape is part of a value whose work is linear in its bytes.

  uncovered(s: Shape): Node {
    if (this.derived || this.costs.fair(this.costs.of(s))) return this.shape(s, true);
    return this.charged(ownParts(s), this.shape(s, false));
  }

  private charged(steps: number, node: Node): Node {
    const gen = node.gen;
    if (gen === null) return atOnce((st) => { st.spend(EMPTIES, steps); return node.now(st); });
    return nesting((st) => { st.spend(EMPTIES, steps); return gen(st); });
  }

  /** A shape that comes with a byte or a bit besides its own. */
  private beside(s: Shape): Node {
    return this.part(s, this.derived || this.costs.fair(this.costs.of(s), 1));
  }

  /** One of the shapes of an element. If these have no bytes, their container counts the parts of those that have few. */
  private inElement(shapes: readonly Shape[], s: Shape): Node {
    const cost = this.costs.together(shapes);
    return this.part(s, this.derived || this.costs.fair(cost) || (cost[1] === 0 && this.costs.fewParts(s)));
  }

  private part(s: Shape, covered: boolean): Node {
    return covered ? this.shape(s, true) : this.uncovered(s);
  }

  private leaf(l: Leaf): (st: State) => unknown {
    if (this.isPlain()) return leafReader(l);
    return l.type === "bool" ? (st) => st.symbol(2) === 1 : leafReader(packedLeaf(l));
  }

  private isPlain(): boolean {
    return this.inPlain === this;
  }

  private shape(s: Shape, covered: boolean): Node {
    switch (s.k) {
      case "leaf": return atOnce(this.leaf(s));
      case "between": {
        const read = this.leaf(s.leaf);
        return atOnce((st) => {
          const start = st.at;
          const n = read(st) as bigint;
          if (n < s.low) st.invalid(start, `less than ${bound(s.low)}`);
          if (n > s.high) st.invalid(start, `more than ${bound(s.high)}`);
          return n;
        });
      }
      case "ratio": return this.ratio(this.part(s.of, covered), s.of);
      case "maybe": return this.maybe(s.of);
      case "tuple": {
        const nodes = s.of.map((x) => this.part(x, covered));
        return nesting((st) => this.parts(nodes, st));
      }
      case "list": case "nonEmpty": case "set": return this.list(s.k, s.of, s.compact || !this.isPlain());
      case "map": return this.map(s.key, s.value, s.compact || !this.isPlain());
      case "array": return this.array(s.index, s.of, covered);
      case "constant": {
        const expected = s.bytes;
        return atOnce((st) => {
          const start = st.at;
          const found = st.take(expected.length);
          if (found.some((b, i) => b !== expected[i])) st.invalid(start, "other bytes than it always has");
          return found;
        });
      }
      case "reference": {
        const key = 2 * s.to + Number(covered);
        return nesting((st) => {
          let node = this.known.get(key);
          if (node === undefined) {
            node = this.definition(s.to, covered);
            this.known.set(key, node);
          }
          return (node.gen as (st: State) => Reads)(st);
        });
      }
      case "opaque": {
        const size = s.size;
        if (size !== null) return atOnce((st) => st.take(size));
        return atOnce((st) => st.invalid(st.at, `the format ${cut(s.name)} is not described`));
      }
      case "irregular":
        return atOnce((st) => st.invalid(st.at, `the irregular type ${cut(s.name)} is not described`));
      case "packed": {
        const node = this.inPacked.uncovered(s.of);
        return this.isPlain() ? withBits(node) : node;
      }
      case "unpacked": return this.inPlain.uncovered(s.of);
    }
  }

  /** With the bytes that fields, and those of constant size after them, take: all of these are there before one is read. */
  private *fields(nodes: Node[], st: State, ahead: readonly number[] = []): Reads {
    const values: unknown[] = [];
    let left = nodes.length;
    for (const node of nodes) {
      const needed = ahead[nodes.length - left] ?? 0;
      st.part(--left);
      if (needed > st.end - st.at) { st.skip(needed - (ahead[nodes.length - left] ?? 0)); continue; }
      values.push(node.gen === null ? node.now(st) : yield node.gen(st));
    }
    return values;
  }

  /** The parts of a tuple, which shows nothing in a path: it is a part of what is around it. */
  private *parts(nodes: Node[], st: State): Reads {
    const values: unknown[] = [];
    for (const node of nodes) values.push(node.gen === null ? node.now(st) : yield node.gen(st));
    return values;
  }

  private ratio(node: Node, of: Shape): Node {
    const l = of.k === "between" ? of.leaf : of;
    const own = l.k === "leaf" && isSmall(l) ? Number : (n: bigint): bigint => n;
    return atOnce((st) => {
      const start = st.at;
      const n = BigInt(node.now(st) as bigint);
      const d = BigInt(node.now(st) as bigint);
      const sizes = [byteLength(n), byteLength(d)] as const;
      if (Math.min(...sizes) > 4096) st.spend(" steps to check fractions", sizes[0] + sizes[1]);
      if (d <= 0n) st.invalid(start, "Ratio: the denominator is not positive");
      if (gcd(n, d) !== 1n) st.invalid(start, "Ratio: not in lowest terms");
      return { numerator: own(n), denominator: own(d) };
    });
  }

  private maybe(of: Shape): Node {
    const inner = this.beside(of);
    const wraps = this.facts.mayBeNull(of);
    const frame = frameOf("Maybe", "Just", [[]]);
    const readTag = this.tag("Maybe", 2);
    return nesting(function* (st): Reads {
      const tag = readTag(st);
      if (tag === 0) return null;
      st.enter(frame);
      st.part(0);
      const value = inner.gen === null ? inner.now(st) : yield inner.gen(st);
      st.leave();
      return wraps ? { just: value } : value;
    });
  }

  /** The steps that an element of these shapes takes: none if it has bytes, else its parts. (Where these are many, it
   * counts its own.) */
  private charge(...shapes: Shape[]): bigint {
    if (this.costs.together(shapes)[1] > 0) return 0n;
    if (this.derived) return 1n;
    return BigInt(this.costs.together(shapes.filter((s) => this.costs.fewParts(s)))[0]);
  }

  private *elements(node: Node, charge: bigint, ordered: Shape | null, st: State, n: number | bigint): Reads {
    st.spend(EMPTIES, BigInt(n) * charge);
    st.enter({ type: "", constructor: "", fields: null, count: n as number });
    const values: unknown[] = [];
    for (let i = 0; i < n; i++) {
      st.part(i);
      const start = st.at;
      const value = node.gen === null ? node.now(st) : yield node.gen(st);
      if (ordered !== null && i > 0 && compare(this.facts, ordered, values[i - 1], value) >= 0) {
        st.invalid(start, "keys that do not ascend");
      }
      values.push(value);
    }
    st.leave();
    return values;
  }

  private list(k: "list" | "nonEmpty" | "set", of: Shape, compact: boolean): Node {
    const node = this.inElement([of], of);
    const charge = this.charge(of);
    const ordered = k === "set" && isOrdered(this.facts.unordered, of) ? of : null;
    const elements = (st: State, n: number | bigint): Reads => this.elements(node, charge, ordered, st, n);
    return nesting(function* (st): Reads {
      const start = st.at;
      const values = (yield elements(st, st.length(compact))) as unknown[];
      if (k === "nonEmpty" && values.length === 0) st.invalid(start, "NonEmpty: no elements");
      return values;
    });
  }

  private map(key: Shape, value: Shape, compact: boolean): Node {
    const facts = this.facts;
    const k = this.inElement([key, value], key);
    const v = this.inElement([key, value], value);
    const charge = this.charge(key, value);
    const ordered = isOrdered(facts.unordered, key);
    return nesting(function* (st): Reads {
      const n = st.length(compact);
      st.spend(EMPTIES, BigInt(n) * charge);
      st.enter({ type: "", constructor: "", fields: null, count: n as number });
      const pairs: Array<[unknown, unknown]> = [];
      for (let i = 0; i < n; i++) {
        st.part(i);
        const start = st.at;
        const a = k.gen === null ? k.now(st) : yield k.gen(st);
        const before = pairs[i - 1];
        if (ordered && before !== undefined && compare(facts, key, before[0], a) >= 0) {
          st.invalid(start, "keys that do not ascend");
        }
        pairs.push([a, v.gen === null ? v.now(st) : yield v.gen(st)]);
      }
      st.leave();
      return pairs;
    });
  }

  private array(index: Shape, of: Shape, covered: boolean): Node {
    const i = this.part(index, covered);
    const node = this.inElement([of], of);
    const charge = this.charge(of);
    const compact = !this.isPlain();
    const counted = isPlain(index);
    const elements = (st: State, n: number | bigint): Reads => this.elements(node, charge, null, st, n);
    return nesting(function* (st): Reads {
      const from = i.gen === null ? i.now(st) : yield i.gen(st);
      const to = i.gen === null ? i.now(st) : yield i.gen(st);
      const start = st.at;
      const n = st.length(compact);
      const values = yield elements(st, n);
      if (counted && indicesBetween(index, from, to) !== BigInt(n)) {
        st.invalid(start, "an array with another number of elements than its bounds");
      }
      return { from, to, elements: values };
    });
  }

  private definition(i: number, covered: boolean): Node {
    const d = this.facts.definitions[i] as Definition;
    const name = cut(d.name);
    if (d.form === "sum") return this.sum(name, d);
    const c = d.constructors[0] as Constructor;
    const nodes = c.fields.map((f) => this.part(f.shape, covered));
    if (d.form === "newtype") {
      const inner = nodes[0] as Node;
      const endless = this.facts.endless.has(i);
      const frame = frameOf(name, "", []);
      return nesting(function* (st): Reads {
        if (endless) st.enter(frame);
        const value = inner.gen === null ? inner.now(st) : yield inner.gen(st);
        if (endless) st.leave();
        return value;
      });
    }
    const frame = frameOf(name, "", c.fields.map((f) => [cut(f.name)]));
    const make = recordMaker(c);
    const ahead = this.derived ? this.ahead(c) : [];
    const fields = (st: State): Reads => this.fields(nodes, st, ahead);
    return nesting(function* (st): Reads {
      st.enter(frame);
      const values = (yield fields(st)) as unknown[];
      st.leave();
      return make(values);
    });
  }

  /** The bytes of each field, and of those after it, as far as they are constructors without fields. */
  private ahead(c: Constructor): number[] {
    const sizes = c.fields.map(({ shape }) => {
      const d = shape.k === "reference" ? this.facts.definitions[shape.to] as Definition : undefined;
      return d?.form === "sum" && d.constructors.every((x) => x.fields.length === 0) ? tagSize(d.constructors.length) : 0;
    });
    for (let i = sizes.length - 2; i >= 0; i--) if (sizes[i] !== 0) (sizes[i] as number) += sizes[i + 1] as number;
    return sizes;
  }

  /** A reader of the number of a constructor. */
  private tag(name: string, count: number): (st: State) => number {
    if (!this.isPlain()) return (st) => st.symbol(count);
    const { derived } = this;
    return (st) => {
      const start = st.skip(tagSize(count));
      const tag = count <= 256 ? (st.data[start] as number) : st.view.getUint16(start, true);
      if (tag >= count) {
        st.invalid(start, derived ? tagText(name, count, tag) : `${name}: there is no constructor ${tag}`);
      }
      return tag;
    };
  }

  private sum(name: string, d: Definition): Node {
    const count = d.constructors.length;
    const readTag = this.tag(name, count);
    const known: Array<((st: State) => Reads) | undefined> = [];
    const alternative = (tag: number): ((st: State) => Reads) =>
      (known[tag] = known[tag] ?? this.alternative(name, count, d.constructors[tag] as Constructor));
    return nesting(function* (st): Reads {
      if (count === 0) st.invalid(st.at, `${name} has no values`);
      return yield alternative(readTag(st))(st);
    });
  }

  private alternative(name: string, count: number, c: Constructor): (st: State) => Reads {
    const con = cut(c.name);
    const shapes = c.fields.map((f) => f.shape);
    const words = (c.fields[0]?.name ?? "1") === "1" ? []
      : c.fields.map((f) => cut(f.name) + " ").join("").split(/\s+/).filter((w) => w !== "");
    const names = words.length > 0 ? words.slice(0, shapes.length).map((w) => [w])
      : shapes.length === 1 ? [[]] : shapes.map((_, i) => [String(i + 1)]);
    const frame = frameOf(name, con, names);
    const isFair = this.derived || this.costs.fair(this.costs.ofAll(shapes), this.costs.tag(count));
    const nodes = shapes.map((s) => this.part(s, isFair));
    const make = taggedMaker(c);
    const fields = (st: State): Reads => this.fields(nodes, st);
    return function* (st): Reads {
      if (c.retired) st.invalid(st.at, `constructor ${con}, which is no longer in use`);
      if (shapes.length === 0) return make([]);
      st.enter(frame);
      if (!isFair) st.spend(EMPTIES, shapes.length);
      const values = (yield fields(st)) as unknown[];
      st.leave();
      return make(values);
    };
  }
}
