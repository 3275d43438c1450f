/** The steps for the fields of a constructor. */
import { dropShape } from "./dropping.js";
import { inEvolutionOf, Mismatch } from "./mismatch.js";
import { Op, put } from "./ops.js";
import { bad, below, converting, Path, pathText, Planner } from "./planning.js";
import { Rule } from "./rules.js";
import { Constructor, Definition, Field, Shape } from "./shapes.js";

const isNumber = (name: string): boolean => /^[0-9]+$/.test(name);

function namesOf(r: Rule): string[] {
  return r.rule === "added" || r.rule === "dropped" ? [r.field] : r.rule === "renamed" ? [r.old, r.new] : [];
}

function own(prefix: string, r: Rule): Rule {
  const name = (n: string): string => (n.startsWith(prefix) ? n.slice(prefix.length) : n);
  if (r.rule === "added" || r.rule === "dropped") return { ...r, field: name(r.field) };
  return r.rule === "renamed" ? { ...r, old: name(r.old), new: name(r.new) } : r;
}

/** What the evolution of a type says of one of its constructors. */
class Said {
  readonly rules: readonly Rule[];
  private readonly prefix: string;
  private readonly several: boolean;

  constructor(private readonly type: Definition, rules: readonly Rule[], private readonly c: Constructor) {
    this.prefix = `${c.name}.`;
    const precise = (r: Rule): boolean => namesOf(r).some((n) => n.startsWith(this.prefix));
    this.rules = [...rules.filter(precise).map((r) => own(this.prefix, r)), ...rules.filter((r) => !precise(r))];
    this.several = type.constructors.length > 1;
  }

  /** The name in the evolution of a field that the constructor has. */
  now(name: string): string {
    return this.several && isNumber(name) ? this.prefix + name : name;
  }

  /** The name in the evolution of a field that the constructor has no more. */
  before(name: string): string {
    return this.several && (isNumber(name) || this.isElsewhere(name)) ? this.prefix + name : name;
  }

  /** Has another constructor such a field? */
  private isElsewhere(name: string): boolean {
    return this.type.constructors.some((x) => x.name !== this.c.name && x.fields.some((f) => f.name === name));
  }
}

/** How to plan fields. */
export interface Around {
  planner: Planner;
  /** The steps for one field. */
  one: (path: Path, old: Shape, next: Shape) => Op[];
  /** The bytes of a default. */
  encode: (shape: Shape, value: unknown) => Uint8Array;
  inKey: boolean;
  path: Path;
  /** Is what the constructor of today does not have left out? */
  skip: boolean;
}

/** An old field: its name today, or `null` if it is left out, and its steps. */
interface Old { today: string | null; ops: Op[] }
/** A field of today: the name of one that was there, or its default. */
type New = string | Uint8Array;

/** The steps for the fields of an old constructor to become those of a new one, which belongs to a type with rules. */
export function fieldOps(
  a: Around, type: Definition, rules: readonly Rule[], next: Constructor, olds: readonly Field[],
): Op[] {
  const said = new Said(type, rules, next);
  const shapes = new Map(next.fields.map((f) => [f.name, f.shape]));
  const oldNames = olds.map((f) => f.name);
  const renames = new Map<string, string>();
  const gone = new Set<string>();
  for (const r of said.rules) {
    if (r.rule === "dropped") gone.add(r.field);
    if (r.rule === "renamed" && !renames.has(r.old) && !oldNames.includes(r.new) && shapes.has(r.new)) renames.set(r.old, r.new);
  }
  const today = (name: string): string | null => (shapes.has(name) ? name : renames.get(name) ?? null);
  const inside = (name: string): Path => below(below(a.path, "."), name);
  const at = (name: string): Path =>
    (a.inKey ? inside(name) : below(below(a.path, "."), { text: name, type: type.name, field: said.now(name) }));
  const saying = (suggestions: Array<[string, string]>): string =>
    (a.inKey ? converting(a.path) : inEvolutionOf(type.name, suggestions));

  const found = olds.map((f): Old => {
    const name = today(f.name);
    if (name !== null) return { today: name, ops: a.one(at(name), f.shape, shapes.get(name) as Shape) };
    if (a.inKey) bad(a.path, "KeyChanges");
    if (gone.has(f.name) || a.skip) return { today: null, ops: dropShape(a.planner, inside(f.name), f.shape) };
    const old = said.before(f.name);
    const suggestions: Array<[string, string]> = [["say dropped NAME", old]];
    if (![...shapes.keys()].every((n) => oldNames.includes(n))) suggestions.push(["renamed NAME and its name today", old]);
    throw new Mismatch(pathText(a.path), "FieldIsUnknown", [f.name], saying(suggestions));
  });
  const there = new Set<string>();
  for (const { today: name } of found) {
    if (name === null) continue;
    if (there.has(name)) {
      const which = oldNames.filter((n) => today(n) === name);
      const advice = saying(which.map((n) => ["say dropped NAME in place of renamed", said.before(n)]));
      throw new Mismatch(pathText(inside(name)), "FieldIsAmbiguous", [name], advice);
    }
    there.add(name);
  }
  const items = next.fields.map((f): New => {
    if (there.has(f.name)) return f.name;
    if (a.inKey) bad(a.path, "KeyChanges");
    for (const r of said.rules) if (r.rule === "added" && r.field === f.name) return a.encode(f.shape, r.default);
    const advice = saying([["give it a default with added NAME", said.now(f.name)]]);
    throw new Mismatch(pathText(at(f.name)), "FieldIsNew", [f.name], advice);
  });
  if (a.inKey && found.some((x, i) => x.today !== next.fields[i]?.name)) bad(a.path, "KeyChanges");
  return arranged(found, items);
}

function arranged(olds: Old[], news: New[]): Op[] {
  const order = news.filter((x): x is string => typeof x === "string");
  const remaining = olds.flatMap((x) => (x.today === null ? [] : [x.today]));
  if (order.every((x, i) => x === remaining[i])) return merged(news, olds);
  // The fields are written in their old order and moved afterwards, with the defaults after them.
  const leading: Op[] = [];
  const after = new Map<string, Op[]>();
  let last: string | null = null;
  for (const x of news) {
    if (typeof x === "string") { last = x; after.set(x, []); } else if (last === null) leading.push(put(x));
    else (after.get(last) as Op[]).push(put(x));
  }
  const groups: Op[][] = [];
  let skipped: Op[] = [];
  for (const old of olds) {
    for (const op of old.ops) skipped.push(op);
    if (old.today === null) continue;
    groups.push([...skipped, ...(after.get(old.today) as Op[])]);
    skipped = [];
  }
  const places = new Map(remaining.map((x, i) => [x, i]));
  return [...leading, { op: "permute", groups, order: order.map((x) => places.get(x) as number) }, ...skipped];
}

function merged(news: New[], olds: Old[]): Op[] {
  const ops: Op[] = [];
  let next = 0;
  for (const item of news) {
    if (typeof item !== "string") { ops.push(put(item)); continue; }
    for (let old = olds[next]; old !== undefined; old = olds[next]) {
      next++;
      for (const op of old.ops) ops.push(op);
      if (old.today !== null) break;
    }
  }
  return [...ops, ...olds.slice(next).flatMap((x) => x.ops)];
}
