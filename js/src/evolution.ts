/** Reading values of older and newer schemas as those of a type. */
import { plain } from "./bytes.js";
import { AshlarError, DecodeError } from "./errors.js";
import { program } from "./match.js";
import { Mismatch } from "./mismatch.js";
import { isIdentity, Program, unreadable } from "./ops.js";
import { Evolution, wrongRule } from "./rules.js";
import { essenceSize, Schema } from "./schema.js";
import { State } from "./state.js";
import { atOrigin, Translation } from "./translate.js";

/** The data of a schema cannot be read as a type. The message is that of Haskell's `describeMismatch`. */
export class EvolutionError extends AshlarError {
  override name = "EvolutionError";
}

/** What data are read as: a schema, what has changed in its types, and whether what it does not have is passed over. */
export interface Today { schema: Schema; evolution?: Evolution; skipping?: boolean }

/** Reads values, which may have been written with another schema. */
export interface Values {
  /** All bytes of a value. */
  decodeValue(bytes: Uint8Array): unknown;
  /** The value that begins at an index, and where it ends. Offsets in errors count from there. */
  decodeFrom(bytes: Uint8Array, at: number): [unknown, number];
  /** Values up to the first that is out of the ordinary, or has no bytes. Returns where that begins. */
  decodeQuickly(bytes: Uint8Array, at: number, count: number, into: unknown[]): number;
}

/** Translates old bytes, and reads the new ones. Offsets in errors are those in the old bytes. */
class Evolved implements Values {
  private readonly translation: Translation;

  constructor(private readonly schema: Schema, found: Program) {
    this.translation = new Translation(found);
  }

  decodeValue(bytes: Uint8Array): unknown {
    const [value, end] = this.decodeFrom(bytes, 0);
    if (end < bytes.length) throw new DecodeError(end, "", "expected the end of the input");
    return value;
  }

  decodeFrom(bytes: Uint8Array, at: number): [unknown, number] {
    const st = new State(plain(bytes), at, bytes.length);
    const found = this.translation.run(st);
    try {
      return [this.read(found.bytes, st), st.at];
    } catch (e) {
      throw atOrigin(e, found.pieces, st);
    }
  }

  decodeQuickly(_bytes: Uint8Array, at: number): number {
    return at;
  }

  /** A value of today from all of its bytes, within what the translation has left of the budget. */
  private read(bytes: Uint8Array, st: State): unknown {
    // (Compiled code reads nothing that takes steps.)
    const found: unknown[] = [];
    if (this.schema.decodeQuickly(bytes, 0, 1, found) === bytes.length && found.length === 1) return found[0];
    const own = new State(bytes, 0, bytes.length, st);
    const value = this.schema.readExactly(own);
    own.expectEnd();
    return value;
  }
}

/**
 * How to read values of an old schema as those of a type. Throws an `EvolutionError` if that is not possible, and a
 * `TypeError` if a rule names what is not in the type.
 */
export function evolve(old: Schema, today: Today): Values {
  const { schema } = today;
  const problem = wrongRule(schema.definitions, today.evolution ?? {});
  if (problem !== null) throw new TypeError(`evolution: ${problem}`);
  // (An essence may have 1 GiB.)
  if (essenceSize(old) === essenceSize(schema) && old.fingerprintHex() === schema.fingerprintHex()) return schema;
  try {
    const found = program(old, schema, today.evolution ?? {}, today.skipping ?? false);
    if (isIdentity(found)) return schema;
    const never = unreadable(found);
    if (never !== null) throw never;
    return new Evolved(schema, found);
  } catch (e) {
    if (e instanceof Mismatch) throw new EvolutionError(e.describe());
    throw e;
  }
}

/** How to read values of a schema, given its bytes, as those of a type, or as they are; or why not. */
export function valuesOf(bytes: Uint8Array, today: Today | null): { values: Values; schema: Schema } | string {
  try {
    const schema = Schema.decode(bytes);
    return { values: today === null ? schema : evolve(schema, today), schema };
  } catch (e) {
    if (e instanceof EvolutionError) return e.message;
    if (!(e instanceof DecodeError)) throw e;
    return `${today === null ? "no schema that can be read" : "the schema of the records cannot be read"}: ${e.message}`;
  }
}
