export { fromHex, toHex, Sink } from "./bytes.js";
export { AshlarError, DecodeError, EncodeError, EvolutionError } from "./errors.js";
export { Schema } from "./schema.js";
export * from "./shapes.js";
export type { Indexed, Ratio, Tagged } from "./values.js";
