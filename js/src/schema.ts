/** Schemas, and values by a schema. */
import { plain, Sink, toHex } from "./bytes.js";
import { compile, Fast } from "./compile.js";
import { AshlarError, DecodeError, EncodeError } from "./errors.js";
import { Exact } from "./exact.js";
import { Facts } from "./facts.js";
import { md5 } from "./md5.js";
import { jsonOf, putValue } from "./output.js";
import { checkTerms, decodeTerms, encodedParts, encodedSize, encodeTerms } from "./schemabytes.js";
import { termsFromJson, termsToJson } from "./schemajson.js";
import { children, Definition, fieldShapes, Shape } from "./shapes.js";
import { LEVELS, State, STEPS } from "./state.js";

/** The most bytes of an essence. A newtype is written at each use, so some megabytes could become any number of them. */
const MOST_ESSENCE = 1 << 30;

/** The format of a type. */
export class Schema {
  readonly facts: Facts;
  private exactly: Exact | undefined;
  private compiled: Fast | null | undefined;
  private stored: Uint8Array | undefined;

  /** Throws an `AshlarError` if no type has this schema. */
  constructor(readonly root: Shape, readonly definitions: readonly Definition[]) {
    const problem = checkTerms(root, definitions);
    if (problem !== null) throw new AshlarError(problem);
    this.facts = new Facts(definitions);
  }

  /** A schema from its bytes, all of them. Throws a `DecodeError` for others. */
  static decode(bytes: Uint8Array): Schema {
    return decodeTerms(bytes, (root, definitions) => new Schema(root, definitions).withFingerprint());
  }

  /** A schema from its JSON. Throws an `AshlarError` if it is none. */
  static fromJson(text: string): Schema {
    return new Schema(...termsFromJson(text)).withFingerprint();
  }

  /** The bytes of the schema. */
  encode(): Uint8Array {
    return encodeTerms(this.root, this.definitions);
  }

  /** The schema as JSON. */
  toJson(): string {
    return termsToJson(this.root, this.definitions);
  }

  /**
   * The 16 bytes of the fingerprint: the MD5 of what decides about the bytes and about evolution. Throws an `AshlarError`
   * if that has more than 1 GiB, which no schema has that was decoded.
   */
  fingerprint(): Uint8Array {
    this.stored = this.stored ?? md5(essence(this.withFingerprint()));
    return this.stored;
  }

  /** The schema, if it has a fingerprint. */
  private withFingerprint(): this {
    if (essenceSize(this) > MOST_ESSENCE) throw new AshlarError("a schema whose essence has more than 1 GiB");
    return this;
  }

  /** The fingerprint in hexadecimal. */
  fingerprintHex(): string {
    return toHex(this.fingerprint());
  }

  /** A value from its bytes, all of them. Throws a `DecodeError` for others. */
  decodeValue(bytes: Uint8Array): unknown {
    const [value, end] = this.decodeFrom(bytes, 0);
    if (end < bytes.length) throw new DecodeError(end, "", "expected the end of the input");
    return value;
  }

  /** The value that begins at an index, and where it ends. Offsets in errors count from there. */
  decodeFrom(bytes: Uint8Array, at: number): [unknown, number] {
    const many = this.decodeMany(bytes, at, 1);
    return [many[0][0], many[1]];
  }

  /** So many values, one after another, and where the last one ends. Offsets in errors count from the one that is refused. */
  decodeMany(bytes: Uint8Array, at: number, count: number): [unknown[], number] {
    const values: unknown[] = [];
    bytes = plain(bytes);
    while (values.length < count) {
      at = this.decodeQuickly(bytes, at, count - values.length, values);
      if (values.length >= count) break;
      const st = new State(bytes, at, bytes.length);
      values.push(this.readExactly(st));
      at = st.at;
    }
    return [values, at];
  }

  /** Read values by compiled code, up to the first that is out of the ordinary, or has no bytes. Returns where that begins. */
  decodeQuickly(bytes: Uint8Array, at: number, count: number, into: unknown[]): number {
    if (this.compiled === undefined) this.compiled = compile(this.root, this.facts);
    return this.compiled === null ? at : this.compiled(bytes, at, count, into);
  }

  /** Read a value without compiled code. */
  readExactly(st: State): unknown {
    this.exactly = this.exactly ?? new Exact(this.root, this.facts);
    return this.exactly.read(st);
  }

  /** The bytes of a value. Throws an `EncodeError` if it is none of the schema. */
  encodeValue(value: unknown): Uint8Array {
    const out = new Sink();
    this.putValue(out, value);
    return out.slice();
  }

  /** Write a value. Throws an `EncodeError` if it is none of the schema. */
  putValue(out: Sink, value: unknown): void {
    const before = out.length;
    const parts = putValue(out, this.facts, this.root, value);
    if ((parts > LEVELS || out.length - before > STEPS) && this.facts.haveSteps(this.root)) this.expectReadable(out.slice(before));
  }

  /** Does what a large value has that takes no bytes stay within the budget of a reader? */
  private expectReadable(bytes: Uint8Array): void {
    try {
      this.decodeFrom(bytes, 0);
    } catch (e) {
      throw e instanceof DecodeError ? new EncodeError(e.reason, e.path) : e;
    }
  }

  /**
   * A value as JSON: the text that `ashlar show --json` writes, without the newline. Throws an `EncodeError` if it is none
   * of the schema.
   */
  toJsonLine(value: unknown): string {
    this.encodeValue(value);
    return jsonOf(this.facts, this.root, value);
  }
}

/** What decides about the bytes and about evolution, for values of the schema or of another root. It is in parts. */
export function essence(schema: Schema, root = schema.root): Iterable<Uint8Array> {
  const bare = schema.facts.bare;
  const numbers = new Map<number, number>();
  const visited: Definition[] = [];
  const work = [root];
  for (let x = work.pop(); x !== undefined; x = work.pop()) {
    const y = x.k === "reference" ? (bare[x.to] as Shape) : x;
    let inner = children(y);
    if (y.k === "reference" && !numbers.has(y.to)) {
      const d = schema.definitions[y.to] as Definition;
      numbers.set(y.to, visited.length);
      visited.push(d);
      inner = fieldShapes(d);
    }
    for (let i = inner.length - 1; i >= 0; i--) work.push(inner[i] as Shape);
  }
  return encodedParts(root, visited.map(simplified), (to) => {
    const y = bare[to] as Shape;
    return y.k === "reference" ? { k: "reference", to: numbers.get(y.to) as number } : y;
  });
}

const simplified = (d: Definition): Definition => ({ ...d, name: "", order: "unknown" });

/** How many bytes the essence of a schema has. Each definition is in it that stands for itself. */
export function essenceSize({ root, definitions, facts }: Schema): number {
  const left = definitions.filter((_, i) => { const x = facts.bare[i] as Shape; return x.k === "reference" && x.to === i; });
  return encodedSize(root, left.map(simplified), (to) => facts.bare[to] as Shape);
}
