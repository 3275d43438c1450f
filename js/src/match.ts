/** From two schemas to a program. */
import { sameBytes, Sink } from "./bytes.js";
import { definitionNames, describeShape } from "./describe.js";
import { dropDefinition } from "./dropping.js";
import { Exact } from "./exact.js";
import { Facts } from "./facts.js";
import { Mismatch, MismatchKind } from "./mismatch.js";
import { copy, countBytes, each, isIdentity, Op, Program, put, switching, through, tidy, unreadable, withoutEmpty } from "./ops.js";
import { definitionOps } from "./matchdefs.js";
import { putValue } from "./output.js";
import {
  bad, below, converting, FREE, Key, noValues, Path, pathText, peeled, peelings, placeIn, Planner, textOf, unpackedPart, Wrapping,
} from "./planning.js";
import { Evolution, rulesOf } from "./rules.js";
import { essence, Schema } from "./schema.js";
import { children, Constructor, Definition, fieldShapes, inAnyFormat, overShapes, plainShape, Shape } from "./shapes.js";
import { State } from "./state.js";
import { leafOps, lettersOps, stringOps, textOps, wholeOps } from "./whole.js";

/**
 * The program that turns values of the old schema into values of the new one. Throws a `Mismatch` if there is none.
 * `skipping` passes over what the type does not have.
 */
export function program(old: Schema, next: Schema, evolution: Evolution, skipping: boolean): Program {
  return new Match(new Side(old), new Side(next), evolution, skipping, new Planner()).program();
}

/** An old shape, and a new one. */
type Pair = readonly [Shape, Shape];

const size = (d: Definition): number => d.constructors.reduce((n, c) => n + 1 + c.fields.length, 0);
const CONTAINED: Wrapping = { maybe: true, list: false };
const OPTIONAL: Wrapping = { maybe: false, list: true };

function bytesOf(facts: Facts, shape: Shape, value: unknown): Uint8Array {
  const out = new Sink();
  putValue(out, facts, shape, value);
  return out.slice();
}

/** Reads a value of the one shape, and writes it as one of the other, which has the same values. */
function recoded(from: Side, x: Shape, to: Side, y: Shape): (st: State) => Uint8Array {
  const exact = new Exact(x, from.schema.facts);
  return (st) => bytesOf(to.schema.facts, y, exact.read(st));
}

/** Reads a value, and gives its bytes. */
function copied(facts: Facts, x: Shape): (st: State) => Uint8Array {
  const exact = new Exact(x, facts);
  return (st) => {
    const start = st.at;
    exact.read(st);
    return st.data.subarray(start, st.at);
  };
}

/** What keeps values of this shape from being read, or null. Constructors that are no longer in use do not. */
function undescribedIn(schema: Schema, shape: Shape): [MismatchKind, [string]] | null {
  const seen = new Set<number>();
  const left = [shape];
  for (let s = left.pop(); s !== undefined; s = left.pop()) {
    if (s.k === "opaque" && s.size === null) return ["NotDescribed", [s.name]];
    if (s.k === "irregular") return ["IsIrregular", [s.name]];
    let parts = children(s);
    if (s.k === "reference" && !seen.has(s.to)) {
      seen.add(s.to);
      const inUse = (schema.definitions[s.to] as Definition).constructors.filter((c) => !c.retired);
      parts = inUse.flatMap((c) => c.fields.map((f) => f.shape));
    }
    for (const part of [...parts].reverse()) left.push(part);
  }
  return null;
}

/** A schema, and what planning asks of it. */
class Side {
  readonly peeled: ReadonlyArray<Shape | null>;
  readonly names: readonly string[];
  private known: { plain: Side; allPacked: boolean } | undefined;

  constructor(readonly schema: Schema) {
    this.peeled = peelings(schema.definitions);
    this.names = definitionNames(schema.definitions);
  }

  private facts(): { plain: Side; allPacked: boolean } {
    if (this.known === undefined) {
      const { root, definitions } = this.schema;
      const unpacked = (s: Shape): boolean => s.k === "unpacked" || children(s).some(unpacked);
      this.known = {
        plain: new Side(new Schema(plainShape(root), definitions.map((d) => overShapes(plainShape, d)))),
        allPacked: ![root, ...definitions.flatMap(fieldShapes)].some(unpacked),
      };
    }
    return this.known;
  }

  /** The same values in the plain format. */
  get plain(): Side {
    return this.facts().plain;
  }

  /** Is all that is in packed values packed, too? */
  get allPacked(): boolean {
    return this.facts().allPacked;
  }
}

/** Compares the shapes of two schemas. */
class Match {
  constructor(
    private readonly old: Side, private readonly next: Side, private readonly evolution: Evolution,
    private readonly skipping: boolean, private readonly planner: Planner,
  ) {}

  program(): Program {
    const { peeled: known, schema } = this.next;
    let root = peeled(known, schema.root);
    if (root !== null && root.k === "packed") root = peeled(known, root.of);
    const name = root !== null && root.k === "reference" ? (schema.definitions[root.to] as Definition).name : "value";
    return this.plan(false, below(null, name), this.old.schema.root, schema.root);
  }

  private plan(inKey: boolean, path: Path, x: Shape, y: Shape): Program {
    const { planner } = this;
    const main = tidy(this.shapes(inKey, FREE, path, x, y));
    for (let p = planner.queue.pop(); p !== undefined; p = planner.queue.pop()) {
      planner.done.set(p.number, tidy(this.procedure(p.path, p.key)));
    }
    return withoutEmpty({ main, procedures: planner.done });
  }

  /** A program of its own. It may take half of the work that is left, so that some is left for what follows. */
  private between(inKey: boolean, path: Path, old: Side, x: Shape, next: Side, y: Shape): Program {
    const { planner } = this;
    planner.spend(path, this.packedWork());
    const half = Math.trunc(planner.left / 2);
    const own = new Planner(half);
    const found = new Match(old, next, this.evolution, this.skipping, own).plan(inKey, path, x, y);
    planner.left += own.left - half - 1;
    return found;
  }

  /** Each packed value has a plan of its own, for which all definitions are looked through again. */
  private packedWork(): number {
    const sum = (side: Side): number => side.schema.definitions.reduce((n, d) => n + size(d), 0);
    return 1 + 8 * (sum(this.old) + sum(this.next));
  }

  private procedure(path: Path, key: Key): Op[] {
    const { planner } = this;
    if (key.kind === "dropping") {
      const d = this.old.schema.definitions[key.old] as Definition;
      planner.spend(path, size(d));
      return dropDefinition(planner, path, d);
    }
    if (key.kind === "droppingPacked") {
      planner.spend(path, this.packedWork());
      const unknown = undescribedIn(this.old.schema, key.shape);
      if (unknown !== null) bad(path, unknown[0], ...unknown[1]);
      const read = copied(this.old.schema.facts, { k: "packed", of: key.shape });
      return [through(false, (st) => read(st).subarray(0, 0), null)];
    }
    if (key.kind === "wrapped") {
      planner.spend(path, 1);
      return this.unfolded(key.inKey, key.wrapping, path, key.shape, { k: "reference", to: key.next });
    }
    const d = this.old.schema.definitions[key.old] as Definition;
    const e = this.next.schema.definitions[key.next] as Definition;
    planner.spend(path, size(d) + size(e));
    return definitionOps({
      planner, inKey: key.inKey, path, skip: this.skipping,
      encode: (shape, value) => bytesOf(this.next.schema.facts, shape, value),
      one: (at, x, y) => this.shapes(key.inKey, FREE, at, x, y),
    }, rulesOf(this.evolution, key.next, e), d, e);
  }

  private cannot(path: Path, x: Shape, y: Shape): Mismatch {
    return new Mismatch(pathText(path), "CannotBecome", this.described([x, y]), converting(path));
  }

  private described([x, y]: Pair): string[] {
    return [describeShape(this.old.names, x), describeShape(this.next.names, y)];
  }

  /** The steps for a value of the one shape to become one of the other. */
  private shapes(inKey: boolean, wrapping: Wrapping, path: Path, x: Shape, y0: Shape): Op[] {
    const y = unpackedPart(y0);
    if (y.k === "reference" && this.next.schema.facts.recursive.has(y.to)) {
      return this.planner.call(path, { kind: "wrapped", inKey, next: y.to, shape: x, wrapping });
    }
    return this.unfolded(inKey, wrapping, path, x, y);
  }

  private unfolded(inKey: boolean, wrapping: Wrapping, path: Path, x0: Shape, y0: Shape): Op[] {
    const x = peeled(this.old.peeled, x0);
    const y = peeled(this.next.peeled, y0);
    // A newtype outside of all fields may convert its own field.
    if (y0.k === "reference" && !inKey && placeIn(path) === null) {
      const d = this.next.schema.definitions[y0.to] as Definition;
      const field = (d.constructors[0] as Constructor | undefined)?.fields[0]?.name;
      if (d.form === "newtype" && field !== undefined) path = below(path, { text: "", type: d.name, field });
    }
    if (x === null) return noValues(y === null);
    if (y === null) return bad(path, "HasNoValues");
    return this.bare(inKey, wrapping, path, x, y);
  }

  /** What is inside of a wrapping is compared. The mismatch names the shapes around it. */
  private inside(inKey: boolean, wrapping: Wrapping, path: Path, whole: Pair, x: Shape, y: Shape): Op[] {
    try {
      return this.shapes(inKey, wrapping, path, x, y);
    } catch (e) {
      if (e instanceof Mismatch && e.kind === "CannotBecome" && e.path === pathText(path)) e.names = this.described(whole);
      throw e;
    }
  }

  private bare(inKey: boolean, wrapping: Wrapping, path: Path, x: Shape, y: Shape): Op[] {
    for (const s of [x, y]) if (s.k === "irregular") bad(path, "IsIrregular", s.name);
    if (x.k === "packed" || y.k === "packed") return [this.packed(inKey, path, x, y)];
    if (x.k === "reference" && y.k === "reference") {
      return this.planner.call(path, { kind: "pair", inKey, old: x.to, next: y.to });
    }
    const found = this.leaves(inKey, path, x, y) ?? this.containers(inKey, path, x, y)
      ?? (inKey ? null : this.wrapped(wrapping, path, x, y));
    if (found === null) throw this.cannot(path, x, y);
    return found;
  }

  /**
   * The step where one of the values is packed, or both. Programs know the plain format only: a packed value becomes
   * plain bytes, with all in it, before a program translates it. After that it is packed. So a type that contains itself
   * by way of a packed one has a program, too.
   */
  private packed(inKey: boolean, path: Path, x: Shape, y: Shape): Op {
    const { old, next } = this;
    const [plainOld, plainX] = x.k === "packed" ? [old.plain, plainShape(x)] : [old, x];
    const [plainNext, plainY] = y.k === "packed" ? [next.plain, plainShape(y)] : [next, y];
    const found = this.between(inKey, path, plainOld, plainX, plainNext, plainY);
    const problem = unreadable(found);
    // Equal plain bytes are equal packed bytes, unless a part is packed on one side only.
    if (x.k === y.k && isIdentity(found) && ((old.allPacked && next.allPacked) || this.sameFormat(x, y))) {
      if (problem === null) return through(true, copied(old.schema.facts, x), null);
      return { op: "unreadable", mismatch: new Mismatch(pathText(path), problem.kind, problem.names) };
    }
    if (problem !== null) bad(path, problem.kind, ...problem.names);
    const before = (): Op => ({ op: "before", read: recoded(old, x, plainOld, plainX), program: found });
    if (y.k !== "packed") return before();
    const first = x.k === "packed" ? { main: [before()], procedures: new Map<number, Op[]>() } : found;
    return { op: "after", program: first, read: recoded(plainNext, plainY, next, y) };
  }

  private sameFormat(x: Shape, y: Shape): boolean {
    // (Equal bytes are in equal parts.)
    const news = essence(this.next.schema, y)[Symbol.iterator]();
    for (const part of essence(this.old.schema, x)) {
      const other = news.next();
      if (other.done === true || !sameBytes(part, other.value)) return false;
    }
    return news.next().done === true;
  }

  private leaves(inKey: boolean, path: Path, x: Shape, y: Shape): Op[] | null {
    const same = (): boolean => textOf(x) === textOf(y);
    if (x.k === "leaf" && y.k === "leaf") {
      if (same()) return leafOps(true, x);
      const found = wholeOps(x, y) ?? stringOps(!inKey, x, y) ?? (inKey ? null : textOps(x, y));
      if (found === null) throw this.cannot(path, x, y);
      return found;
    }
    if (x.k === "between" || y.k === "between") return wholeOps(x, y);
    if (x.k === "ratio" && y.k === "ratio") {
      const ops = wholeOps(x.of, y.of);
      return ops === null ? null : [...ops, ...ops];
    }
    if (x.k === "constant" && same()) return [copy(x.bytes.length)];
    if (x.k === "opaque" && same()) {
      if (x.size !== null) return [copy(Number(x.size))];
      return [{ op: "unreadable", mismatch: new Mismatch(pathText(path), "NotDescribed", [x.name]) }];
    }
    return null;
  }

  private containers(inKey: boolean, path: Path, x: Shape, y: Shape): Op[] | null {
    const elements = below(path, "[]");
    if (x.k === "maybe" && y.k === "maybe") {
      const ops = this.inside(inKey, OPTIONAL, path, [x, y], x.of, y.of);
      return [switching("Maybe", 1, true, [[put(Uint8Array.of(0))], [put(Uint8Array.of(1)), ...ops]])];
    }
    if (x.k === "tuple" && y.k === "tuple" && x.of.length === y.of.length) {
      return x.of.flatMap((a, i) => this.shapes(inKey, FREE, below(path, `.${i + 1}`), a, y.of[i] as Shape));
    }
    if ((x.k === "list" || x.k === "nonEmpty") && y.k === "list") {
      const least = x.k === "nonEmpty" ? 1 : 0;
      return [each(x.compact, y.compact, least, this.shapes(inKey, CONTAINED, elements, x.of, y.of))];
    }
    if (x.k === "nonEmpty" && y.k === "nonEmpty") {
      return [each(x.compact, y.compact, 0, this.shapes(inKey, CONTAINED, elements, x.of, y.of))];
    }
    if (x.k === "set" && y.k === "set") return [each(x.compact, y.compact, 0, this.shapes(true, FREE, elements, x.of, y.of))];
    if (x.k === "map" && y.k === "map") {
      const key = this.shapes(true, FREE, below(path, "{key}"), x.key, y.key);
      return [each(x.compact, y.compact, 0, [...key, ...this.shapes(inKey, FREE, below(path, "{}"), x.value, y.value)])];
    }
    if (x.k === "array" && y.k === "array") {
      const index = this.shapes(true, FREE, below(path, "[index]"), x.index, y.index);
      return [...index, ...index, each(false, false, 0, this.shapes(inKey, FREE, elements, x.of, y.of))];
    }
    return null;
  }

  /** Changes of what is around a value. None of them is allowed in keys. */
  private wrapped(wrapping: Wrapping, path: Path, x: Shape, y: Shape): Op[] | null {
    const whole: Pair = [x, y];
    if (y.k === "maybe" && wrapping.maybe) {
      return [put(Uint8Array.of(1)), ...this.inside(false, OPTIONAL, path, whole, x, y.of)];
    }
    if (y.k !== "list" && y.k !== "nonEmpty") return null;
    const of = peeled(this.next.peeled, y.of);
    const elements = (of2: Shape, compact: boolean): Op[] =>
      [each(compact, y.compact, 0, this.shapes(false, CONTAINED, below(path, "[]"), of2, y.of))];
    if (y.k === "list") {
      const letters = x.k === "leaf" && of !== null && of.k === "leaf" ? lettersOps(x, y.compact, of) : null;
      if (letters !== null) return letters;
      if (x.k === "set") return elements(x.of, x.compact);
      if (x.k === "map" && of !== null && of.k === "tuple" && of.of.length === 2) {
        return elements({ k: "tuple", of: [x.key, x.value] }, x.compact);
      }
      // (Otherwise the elements may be what there is now.)
      if (x.k === "maybe" && wrapping.list && of !== null && peeled(this.next.peeled, inAnyFormat(of))?.k !== "maybe") {
        const ops = this.inside(false, CONTAINED, path, whole, x.of, y.of);
        return [switching("Maybe", 1, false, [[put(countBytes(y.compact, 0))], [put(countBytes(y.compact, 1)), ...ops]])];
      }
    }
    if (wrapping.list && x.k !== "list" && x.k !== "nonEmpty" && x.k !== "set") {
      return [put(countBytes(y.compact, 1)), ...this.inside(false, CONTAINED, path, whole, x, y.of)];
    }
    return null;
  }
}
