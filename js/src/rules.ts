/** What has changed in a type since older data were written. */
import { definitionNames } from "./describe.js";
import { Definition } from "./shapes.js";

/**
 * A rule. A field's name may begin with its constructor and a point; a field without a name has its position.
 * What needs no rule: other orders of fields and constructors, new constructors, wider numbers.
 */
export type Rule =
  /** A field that old values lack, and the value that it gets. */
  | { rule: "added"; field: string; default: unknown }
  /** The old and the new name of a field. */
  | { rule: "renamed"; old: string; new: string }
  /** A field that the type no longer has. */
  | { rule: "dropped"; field: string }
  /** The old and the new name of a constructor. */
  | { rule: "renamedConstructor"; old: string; new: string }
  /** A constructor that the type no longer has. Values with it are refused. */
  | { rule: "droppedConstructor"; name: string }
  /** The constructor for values whose own constructor the type does not have. */
  | { rule: "unknownConstructors"; name: string };

/**
 * Rules, under the names of the types of today. Where several types have one name, `Box#1` stands for that with the number
 * in `ashlar schema`, before `Box` for all of them.
 */
export type Evolution = Readonly<Record<string, readonly Rule[]>>;

/** The rules of the definition with this number: by its name and number if there are any, else by its name. */
export function rulesOf(evolution: Evolution, i: number, d: Definition): readonly Rule[] {
  const name = [`${d.name}#${i}`, d.name].find((n) => Object.prototype.hasOwnProperty.call(evolution, n));
  return name === undefined ? [] : (evolution[name] as readonly Rule[]);
}

/** Why a rule can never apply, or `null`: its type, field or constructor is not there. */
export function wrongRule(definitions: readonly Definition[], evolution: Evolution): string | null {
  const listed = (names: readonly string[]): string => names.slice(0, 20).join(", ") + (names.length > 20 ? ", and others" : "") || "none";
  for (const [name, rules] of Object.entries(evolution)) {
    const of = definitions.filter((d, i) => name === d.name || name === `${d.name}#${i}`);
    if (of.length === 0) return `there is no type ${name}; there is ${listed(definitionNames(definitions))}`;
    const constructors = of.flatMap((d) => d.constructors);
    for (const r of rules) {
      const field = r.rule === "added" ? r.field : r.rule === "renamed" ? r.new : undefined;
      const constructor = r.rule === "renamedConstructor" ? r.new : r.rule === "unknownConstructors" ? r.name : undefined;
      const names = field === undefined ? constructors.map((c) => c.name) : constructors.flatMap((c) => c.fields.map((f) => f.name));
      const known = field === undefined ? names : [...names, ...constructors.flatMap((c) => c.fields.map((f) => `${c.name}.${f.name}`))];
      const part = field ?? constructor;
      if (part !== undefined && !known.includes(part)) {
        return `${name} has no ${field === undefined ? "constructor" : "field"} ${part}; it has ${listed([...new Set(names)].sort())}`;
      }
    }
  }
  return null;
}
