/** Types of TypeScript for a schema. */
import { toHex } from "./bytes.js";
import { Schema } from "./schema.js";
import { Constructor, Definition, fieldShapes, isPositional, isSmall, isWhole, Shape } from "./shapes.js";

const RESERVED = new Set(("Root Array Uint8Array any unknown never undefined string number bigint boolean symbol object null "
  + "true false void break case catch class const continue debugger default delete do else enum export extends finally for "
  + "function if import in instanceof new return super switch this throw try typeof var while with yield let static await "
  + "implements interface package private protected public keyof readonly unique infer as").split(" "));

function string(t: string): string {
  return JSON.stringify(t).replace(/[^ -~]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function identifiers(definitions: readonly Definition[]): string[] {
  // The names that have been given, each with the number to try next.
  const used = new Map<string, number>();
  return definitions.map((d) => {
    let name = d.name.replace(/[^A-Za-z0-9_]/gu, "_");
    if (!/^[A-Za-z_]/.test(name)) name = "_" + name;
    if (RESERVED.has(name)) name += "_";
    let found = name;
    while (used.has(found)) {
      const i = used.get(name) as number;
      found = `${name}_${i}`;
      used.set(name, i + 1);
    }
    used.set(found, 2);
    return found;
  });
}

/** Interfaces and discriminated unions for the values of a schema. README.md has the rules. */
export function typescriptSource(schema: Schema): string {
  const { facts } = schema;
  const names = identifiers(schema.definitions);
  const type = (s: Shape): string => {
    switch (s.k) {
      case "between": return type(s.leaf);
      case "packed": case "unpacked": return type(s.of);
      case "ratio": return `{ numerator: ${type(s.of)}; denominator: ${type(s.of)} }`;
      case "maybe": return facts.mayBeNull(s.of) ? `{ just: ${type(s.of)} } | null` : `${type(s.of)} | null`;
      case "tuple": return `[${s.of.map(type).join(", ")}]`;
      case "list": case "nonEmpty": case "set": return `Array<${type(s.of)}>`;
      case "map": return `Array<[${type(s.key)}, ${type(s.value)}]>`;
      case "array": return `{ from: ${type(s.index)}; to: ${type(s.index)}; elements: Array<${type(s.of)}> }`;
      case "constant": return "Uint8Array";
      case "reference": return names[s.to] as string;
      case "opaque": return s.size === null ? "never" : "Uint8Array";
      case "irregular": return "never";
      case "leaf":
    }
    if (isWhole(s)) return isSmall(s) ? "number" : "bigint";
    switch (s.type) {
      case "unit": return "[]";
      case "bool": return "boolean";
      case "float32": case "float64": return "number";
      case "bytes": case "byteArray": return "Uint8Array";
      default: return "string";
    }
  };
  const key = (name: string): string => (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : string(name));
  const fields = (c: Constructor): string => isPositional(c) ? `[${c.fields.map((f) => type(f.shape)).join(", ")}]`
    : `{ ${c.fields.map((f) => `${key(f.name)}: ${type(f.shape)}`).join("; ")} }`;
  const definition = (d: Definition, i: number): string => {
    const name = names[i] as string;
    const c = d.constructors[0];
    if (d.form === "newtype") return `export type ${name} = ${facts.recursive.has(i) ? "unknown" : type(fieldShapes(d)[0] as Shape)};`;
    if (d.form === "record" && c !== undefined) {
      if (isPositional(c)) return `export type ${name} = ${fields(c)};`;
      if (c.fields.length === 0) return `export interface ${name} {}`;
      return `export interface ${name} {\n${c.fields.map((f) => `  ${key(f.name)}: ${type(f.shape)};\n`).join("")}}`;
    }
    const used = d.constructors.filter((k) => !k.retired);
    if (used.length === 0) return `export type ${name} = never;`;
    const line = (k: Constructor): string =>
      `\n  | { tag: ${string(k.name)}${k.fields.length === 0 ? "" : `; value: ${fields(k)}`} }`;
    return `export type ${name} =${used.map(line).join("")};`;
  };
  const hex = (toHex(schema.encode()).match(/.{1,80}/g) as string[]).map((x) => `  "${x}"`).join(" +\n");
  const parts = ["// The types of an Ashlar schema.", ...schema.definitions.map(definition),
    `export type Root = ${type(schema.root)};`, `export const schemaHex =\n${hex};`];
  return parts.join("\n\n") + "\n";
}
