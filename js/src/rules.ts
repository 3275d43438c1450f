/** What has changed in a type since older data were written. */

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

/** Rules, under the names of the types of today. */
export type Evolution = Readonly<Record<string, readonly Rule[]>>;

/** The rules of a type. */
export function rulesOf(evolution: Evolution, name: string): readonly Rule[] {
  return Object.prototype.hasOwnProperty.call(evolution, name) ? (evolution[name] as readonly Rule[]) : [];
}
