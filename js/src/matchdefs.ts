/** The steps for a value of an old definition to become one of a new one. */
import { refused, retired } from "./dropping.js";
import { Around, fieldOps } from "./fields.js";
import { inEvolutionOf, Mismatch } from "./mismatch.js";
import { Alternative, Op, put, switching, tagBytes } from "./ops.js";
import { bad, below, converting, pathText } from "./planning.js";
import { Rule } from "./rules.js";
import { Constructor, cut, Definition, tagSize } from "./shapes.js";

/** Are fields that the constructor of today does not have left out, its number, and the constructor. */
interface Target { skip: boolean; number: number; constructor: Constructor }

/** The steps for `d` to become `e`, to which the rules belong. */
export function definitionOps(a: Around, rules: readonly Rule[], d: Definition, e: Definition): Op[] {
  return new Definitions(a, rules, d, e).ops();
}

class Definitions {
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly oldNames: ReadonlySet<string>;
  private readonly renames = new Map<string, string>();
  private readonly gone = new Set<string>();

  constructor(
    private readonly a: Around, private readonly rules: readonly Rule[],
    private readonly d: Definition, private readonly e: Definition,
  ) {
    this.numbers = new Map(e.constructors.map((c, i) => [c.name, i]));
    this.oldNames = new Set(d.constructors.map((c) => c.name));
    for (const r of rules) {
      if (r.rule === "droppedConstructor") this.gone.add(r.name);
      if (r.rule === "renamedConstructor" && !this.oldNames.has(r.new) && this.numbers.has(r.new)) this.renames.set(r.old, r.new);
    }
  }

  ops(): Op[] {
    const { d, e, a } = this;
    if (d.form === "sum") {
      const found = d.constructors.map((c, i) => this.alternative(i, c));
      return [switching(cut(e.name), tagSize(d.constructors.length), this.exact(), found)];
    }
    const c = d.constructors[0] as Constructor;
    if (e.form === "sum") {
      if (a.inKey) bad(a.path, "CannotBecome", d.name, e.name);
      const target = this.target(c);
      if (typeof target === "string") throw this.unknown(c);
      return this.inside(c, target);
    }
    return fieldOps(a, e, this.rules, e.constructors[0] as Constructor, c.fields);
  }

  private alternative(i: number, c: Constructor): Alternative {
    if (c.retired) return retired(c);
    const target = this.target(c);
    if (typeof target === "string") return target;
    if (this.a.inKey && target.number !== i) bad(this.a.path, "KeyChanges");
    return this.inside(c, target);
  }

  private inside(c: Constructor, target: Target): Op[] {
    const { a, e } = this;
    const width = e.form === "sum" ? tagSize(e.constructors.length) : 0;
    const path = below(below(a.path, "."), target.constructor.name);
    const fields = fieldOps({ ...a, path, skip: target.skip }, e, this.rules, target.constructor, c.fields);
    return [put(tagBytes(width, target.number)), ...fields];
  }

  /** What an old constructor becomes, or why values with it are refused. */
  private target(c: Constructor): string | Target {
    const skipping = this.a.skip;
    const number = this.numbers.get(c.name) ?? this.numbers.get(this.renames.get(c.name) ?? c.name);
    if (number !== undefined) return this.inUse(c, skipping, number);
    if (this.gone.has(c.name)) return retired(c);
    if (!this.a.inKey) {
      for (const r of this.rules) {
        const other = r.rule === "unknownConstructors" ? this.numbers.get(r.name) : undefined;
        if (other !== undefined) return this.inUse(c, true, other);
      }
    }
    if (skipping) return refused(c, "which the type does not have");
    throw this.unknown(c);
  }

  private inUse(c: Constructor, skip: boolean, number: number): string | Target {
    const constructor = this.e.constructors[number] as Constructor;
    return constructor.retired ? retired(c) : { skip, number, constructor };
  }

  private unknown(c: Constructor): Mismatch {
    const { a, e } = this;
    let advice = converting(a.path);
    // (A constructor that is retired is one that the type has.)
    if (!this.numbers.has(c.name)) {
      const suggestions: Array<[string, string]> = [["say droppedConstructor NAME", c.name]];
      if (!a.inKey && !e.constructors.every((x) => this.oldNames.has(x.name))) {
        suggestions.push(["renamedConstructor NAME and its name today", c.name]);
      }
      advice = inEvolutionOf(e.name, suggestions);
    }
    return new Mismatch(pathText(a.path), "ConstructorIsUnknown", [c.name], advice);
  }

  /** Does the decoder of today refuse all tags that the program does? */
  private exact(): boolean {
    const news = this.e.constructors;
    return this.e.form === "sum" && this.d.constructors.length === news.length && this.d.constructors.every((c, i) => {
      const x = news[i] as Constructor;
      return x.retired || (!c.retired && (c.name === x.name || this.renames.has(c.name)));
    });
  }
}
