/** What may be wrong with a file. */
import { AshlarError, DecodeError, shown } from "./errors.js";

/** What is wrong with a header or a block. */
export interface Cause { kind: string; text: string; error?: DecodeError }

/** What is wrong with a file, and where: the message is the first line of what Haskell's `displayException` shows. */
export class Damage extends AshlarError {
  override name = "Damage";
  constructor(
    readonly file: string, readonly offset: number, readonly block: number | null, readonly record: number, readonly cause: Cause,
  ) {
    super(`${file}: at byte ${offset}${block === null ? "" : ` (block ${block})`}, from record ${record} on: ${cause.text}`);
  }
}

/** What was passed over because of damage. Reading goes on at the offset `to`, with the record `next` (`null`: with none). */
export interface Lost { damage: Damage; to: number; next: number | null; other: boolean }

const TEXTS: Record<string, string> = {
  NotAFile: "not a file of records",
  WrongHeader: "the header of the file is damaged",
  NotABlock: "no block begins here",
  WrongBlockHeader: "the header of the block is damaged",
  WrongChecksum: "wrong checksum",
  WrongCount: "wrong number of records in the block",
  UnknownSchema: "the schema of the records is lost",
};

/** A cause without details. */
export const simple = (kind: string): Cause => ({ kind, text: TEXTS[kind] as string });
export const laterVersion = (v: number): Cause => ({ kind: "LaterVersion", text: `version ${v} of the format, which is not known` });
export const truncatedHeader = (needed: number, left: number): Cause =>
  ({ kind: "TruncatedHeader", text: `the file ends in its header: ${needed} bytes needed, ${left} left` });
export const truncated = (needed: number, left: number): Cause =>
  ({ kind: "Truncated", text: `the file ends in this block: ${needed} bytes needed, ${left} left` });
export const wrongType = (why: string): Cause => ({ kind: "WrongType", text: `another type: ${why}` });
export const unknownCompression = (name: Uint8Array): Cause =>
  ({ kind: "UnknownCompression", text: `compressed by ${shown(name.subarray(0, 100))}, for which no function was given` });
export const tooLarge = (size: number, limit: number): Cause =>
  ({ kind: "TooLarge", text: `a block of ${size} bytes, where ${limit} are allowed` });
export const wrongExpansion = (why: string): Cause => ({ kind: "WrongExpansion", text: `the block cannot be expanded: ${why}` });
export const wrongNumber = (first: number): Cause => ({ kind: "WrongNumber", text: `the block begins with record ${first}` });
export const badRecord = (error: DecodeError): Cause => ({ kind: "BadRecord", text: error.message, error });
export const anotherFile = (n: number, reason: string): Cause =>
  ({ kind: "AnotherFile", text: `another file begins here, which has ${n === 1 ? "1 record" : `${n} records`}: ${reason}` });
