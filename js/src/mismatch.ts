/** What of an old schema cannot be read as the type of today. */
import { clean } from "./describe.js";

/** What to write if no field is around a value that has changed. */
export const AROUND_ALL = 'read it as a newtype, and say how with converted @"1" in the newtype\'s evolution';

function cutTo(most: number, text: string): string {
  const chars = [...text];
  return chars.length > most ? clean(chars.slice(0, most).join("")) + "..." : clean(text);
}

/** What to say in the evolution of a type: for each suggestion, words around the name of a field. */
export function inEvolutionOf(name: string, suggestions: ReadonlyArray<readonly [string, string]>): string {
  const said = suggestions.map(([words, n]) => words.replace("NAME", () => `@"${cutTo(100, n)}"`));
  return `${said.join(", or ")} in the evolution of ${cutTo(100, name)}`;
}

const WORDS = {
  FieldIsNew: () => "the field is new",
  FieldIsUnknown: (a: string) => `the data have a field ${a} that the type does not have`,
  FieldIsAmbiguous: (a: string) => `two fields of the data would become ${a}`,
  ConstructorIsUnknown: (a: string) => `the data may have a constructor ${a} that the type does not have`,
  CannotBecome: (a: string, b: string) => `${a} cannot become ${b}`,
  KeyChanges: () => "a key may only become a wider number, because keys must stay in order",
  NotDescribed: (a: string) => `the format ${a} is not described, so nothing around it can change and it cannot be dropped`,
  IsIrregular: (a: string) => `the irregular type ${a} can be read only if nothing changes`,
  HasNoValues: () => "a newtype of itself has no values",
  TooLarge: () => "the schemas are too large to be compared",
};

/** The reasons why schemas do not fit. */
export type MismatchKind = keyof typeof WORDS;

/** What does not fit, the path to it in the type of today, and what to write. */
export class Mismatch {
  constructor(
    readonly path: string, readonly kind: MismatchKind, public names: readonly string[] = [], readonly advice: string | null = null,
  ) {}

  /** The mismatch in one line, as Haskell's `describeMismatch` has it. */
  describe(): string {
    const [a = "", b = ""] = this.names.map((n) => cutTo(this.kind === "CannotBecome" ? 200 : 100, n));
    const text = `${cutTo(400, this.path)}: ${WORDS[this.kind](a, b)}`;
    return this.advice === null ? text : `${text}; ${this.advice}`;
  }
}
