// Random schemas, and values of them.
import { Facts } from "../src/facts.js";
import { Schema } from "../src/schema.js";
import { children, Constructor, Definition, fieldShapes, isWhole, Leaf, leaf, LeafType, mapShapes, overShapes, NUMBERS, Shape } from "../src/shapes.js";
import { compare } from "../src/values.js";

const LEAVES: LeafType[] = [
  "unit", "float32", "float64", "bool", "char", "scalarValue", "integer", "natural", "date", "bytes", "byteArray", "utf8", "utf16",
];
const TEXTS = ["", "a", "bc", "é", "\uffff", "𝄞z"];

/** A generator of random numbers, and of what is made of them. */
export class Random {
  constructor(private seed: number) {}

  below(n: number): number {
    this.seed = (this.seed * 48271) % 2147483647;
    return this.seed % n;
  }

  of<T>(xs: readonly T[]): T { return xs[this.below(xs.length)] as T; }

  list<T>(most: number, f: (i: number) => T): T[] { return Array.from({ length: this.below(most + 1) }, (_, i) => f(i)); }

  private leaf(): Leaf {
    if (this.below(2) === 0) {
      const type = this.of(LEAVES);
      return leaf(type, "", ["bytes", "byteArray", "utf8"].includes(type) && this.below(2) === 0);
    }
    const encoding = this.of(["", "", "bigEndian", "varint"] as const);
    return leaf(this.of([...NUMBERS.keys()]) as LeafType, encoding);
  }

  /** A shape that refers to definitions from the second number on; to others only where a value may end before that. */
  private shape(depth: number, from: number, count: number, formats: boolean): Shape {
    const inner = (): Shape => this.shape(depth - 1, from, count, formats);
    const looping = (): Shape => (this.below(3) === 0 && count > 0 ? { k: "reference", to: this.below(count) } : inner());
    const key = (): Shape => this.shape(1, 0, 0, false);
    const compact = this.below(2) === 0;
    switch (depth <= 0 ? 0 : this.below(formats ? 15 : 12)) {
      case 0: case 1: case 2: {
        const l = this.leaf();
        return l.type === "natural" || !isWhole(l) || this.below(4) > 0 ? l : { k: "between", low: 0n, high: 100n, leaf: l };
      }
      case 3: return { k: "ratio", of: leaf(this.of(["int8", "int64", "integer"] as const)) };
      case 4: return { k: "maybe", of: looping() };
      case 5: return { k: "tuple", of: [inner(), inner()] };
      case 6: return { k: "list", of: looping(), compact };
      case 7: return { k: "nonEmpty", of: inner(), compact };
      case 8: return { k: "set", of: key(), compact };
      case 9: return { k: "map", key: key(), value: looping(), compact };
      case 10: return this.below(2) === 0 ? { k: "array", index: leaf("word8"), of: inner() } : { k: "constant", bytes: Uint8Array.of(1, 2) };
      case 11: return from < count ? { k: "reference", to: from + this.below(count - from) } : inner();
      case 12: return { k: "unpacked", of: inner() };
      default: return { k: "packed", of: inner() };
    }
  }

  /** A schema. Without formats, nothing in it is packed. */
  schema(formats: boolean): Schema {
    const count = this.below(4);
    const definitions = Array.from({ length: count }, (_, i): Definition => {
      const field = (j: number): { name: string; shape: Shape } =>
        ({ name: i % 2 === 0 ? `f${j}` : `${j + 1}`, shape: this.shape(2, i + 1, count, formats) });
      const constructor = (name: string, fields: number): Constructor =>
        ({ name, retired: false, fields: Array.from({ length: fields }, (_x, j) => field(j)) });
      const form = this.of(["newtype", "record", "sum"] as const);
      const constructors = form === "newtype" ? [constructor(`T${i}`, 1)] : form === "record" ? [constructor(`T${i}`, this.below(4))]
        : Array.from({ length: this.of([1, 2, 3, 5, 8, 300]) }, (_x, j) => constructor(`C${j}`, j % 7 === 3 ? this.below(3) : 0));
      return { name: `T${i}`, form, order: this.of(["unknown", "byParts"]), constructors };
    });
    return inOrder(this.shape(4, 0, count, formats), definitions);
  }

  /** The same schema with other shapes that are packed or not. */
  otherFormats(s: Schema): Schema {
    const change = (x: Shape): Shape => {
      if (x.k === "packed" || x.k === "unpacked") return change(x.of);
      if (x.k === "ratio") return x;
      const y = mapShapes(change, x);
      const k = this.of(["", "", "", "", "", "", "packed", "unpacked"] as const);
      return k === "" ? y : { k, of: y };
    };
    return inOrder(change(s.root), s.definitions.map((d) => overShapes(change, d)));
  }

  private whole(l: Leaf): number | bigint {
    const range = NUMBERS.get(l.type);
    const signed = l.type === "natural" || (range !== undefined && range[1] === 0n) ? 1n : this.of([1n, -1n]);
    let n = signed * (BigInt(this.below(2147483647)) << BigInt(this.of([0, 31, 40]))) >> BigInt(this.below(70));
    if (range !== undefined) n = signed > 0n ? n % (range[2] + 1n) : n % -range[1];
    return range !== undefined && range[0] <= 4 ? Number(n) : n;
  }

  private leafValue(l: Leaf): unknown {
    if (isWhole(l)) return this.whole(l);
    switch (l.type) {
      case "unit": return [];
      case "bool": return this.below(2) === 1;
      case "float32": case "float64": return this.below(1000) / 8;
      case "char": return this.of(["a", "é", "\ud800", "𝄞"]);
      case "scalarValue": return this.of(["a", "\uffff", "𝄞"]);
      case "bytes": case "byteArray": return Uint8Array.from(this.list(3, () => this.below(256)));
      default: return this.of(TEXTS);
    }
  }

  /** A value of a shape. Below some depth, it ends where it can. */
  value(facts: Facts, s: Shape, depth = 6): unknown {
    const inner = (x: Shape): unknown => this.value(facts, x, depth - 1);
    const some = (x: Shape): unknown[] => (depth <= 0 ? [] : this.list(3, () => inner(x)));
    const keys = (x: Shape): unknown[] => some(x).sort((a, b) => compare(facts, x, a, b))
      .filter((a, i, all) => i === 0 || compare(facts, x, all[i - 1], a) !== 0);
    switch (s.k) {
      case "leaf": return this.leafValue(s);
      case "between": return (NUMBERS.get(s.leaf.type)?.[0] ?? 8) <= 4 ? this.below(101) : BigInt(this.below(101));
      case "ratio": return { numerator: s.of.k === "leaf" && s.of.type === "int8" ? 3 : 3n, denominator: s.of.k === "leaf" && s.of.type === "int8" ? 2 : 2n };
      case "maybe": {
        if (depth <= 0 || this.below(2) === 0) return null;
        const v = inner(s.of);
        return facts.mayBeNull(s.of) ? { just: v } : v;
      }
      case "tuple": return s.of.map(inner);
      case "list": return some(s.of);
      case "nonEmpty": return [inner(s.of), ...some(s.of)];
      case "set": return keys(s.of);
      case "map": return keys(s.key).map((k) => [k, inner(s.value)]);
      case "array": { const elements = [inner(s.of), ...some(s.of)]; return { from: 3, to: 2 + elements.length, elements }; }
      case "constant": return s.bytes;
      case "packed": case "unpacked": return inner(s.of);
      case "reference": {
        const d = facts.definitions[s.to] as Definition;
        const c = depth <= 0 ? d.constructors[0] as Constructor : this.of(d.constructors);
        const values = c.fields.map((f) => inner(f.shape));
        if (d.form === "newtype") return values[0];
        const record = /^1$/.test(c.fields[0]?.name ?? "") ? values : Object.fromEntries(c.fields.map((f, i) => [f.name, values[i]]));
        return d.form === "record" ? record : c.fields.length === 0 ? { tag: c.name } : { tag: c.name, value: record };
      }
      default: throw new Error(s.k);
    }
  }
}

/** A schema whose definitions are in the order of the first visit. */
function inOrder(root: Shape, definitions: readonly Definition[]): Schema {
  const numbers = new Map<number, number>();
  const found: Definition[] = [];
  const visit = (s: Shape): void => {
    if (s.k === "reference" && !numbers.has(s.to)) {
      numbers.set(s.to, numbers.size);
      found.push(definitions[s.to] as Definition);
      fieldShapes(definitions[s.to] as Definition).forEach(visit);
    }
    children(s).forEach(visit);
  };
  visit(root);
  const numbered = (s: Shape): Shape => (s.k === "reference" ? { k: "reference", to: numbers.get(s.to) as number } : mapShapes(numbered, s));
  return new Schema(numbered(root), found.map((d) => ({
    ...d, constructors: d.constructors.map((c) => ({ ...c, fields: c.fields.map((f) => ({ ...f, shape: numbered(f.shape) })) })),
  })));
}
