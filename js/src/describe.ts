/** Shapes for people, as the `ashlar` program shows them. */
import { toHex } from "./bytes.js";
import { escaped, shown } from "./errors.js";
import { children, Definition, Leaf, NUMBERS, Shape } from "./shapes.js";

/** Escape what is not printable: names may be those of an untrusted schema. */
export function clean(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => {
    const n = c.codePointAt(0) as number;
    return n < 128 ? escaped(c) : `\\${n}`;
  });
}

/** A string as Haskell's `show` writes it. */
function quotedName(text: string): string {
  let out = "";
  const chars = [...text];
  chars.forEach((c, i) => {
    const n = c.codePointAt(0) as number;
    const after = chars[i + 1] ?? "";
    if (n < 128) out += shown(Uint8Array.of(n)).slice(1, -1) + (n === 14 && after === "H" ? "\\&" : "");
    else out += `\\${n}` + (/^[0-9]$/.test(after) ? "\\&" : "");
  });
  return `"${out}"`;
}

/** The names of the definitions, with their numbers where a name occurs more than once. */
export function definitionNames(definitions: readonly Definition[]): string[] {
  const counts = new Map<string, number>();
  for (const d of definitions) counts.set(d.name, (counts.get(d.name) ?? 0) + 1);
  return definitions.map((d, i) => ((counts.get(d.name) as number) > 1 ? `${clean(d.name)}#${i}` : clean(d.name)));
}

/** The type of a shape as an argument of another one. */
function argument(names: readonly string[], s: Shape): string {
  const text = describeShape(names, s);
  const compound = s.k === "leaf" ? text.includes(" ") : s.k === "list" ? s.compact : s.k !== "tuple" && s.k !== "reference";
  return compound ? `(${text})` : text;
}

const capital = (t: string): string => t.slice(0, 1).toUpperCase() + t.slice(1);

/** The type of a shape, given the names of the definitions. */
export function describeShape(names: readonly string[], s: Shape): string {
  switch (s.k) {
    case "leaf": return leafName(s);
    case "between": return `${leafName(s.leaf)} from ${s.low} to ${s.high}`;
    case "tuple": return `(${s.of.map((x) => describeShape(names, x)).join(", ")})`;
    case "list": return `${s.compact ? "Compact " : ""}[${describeShape(names, s.of)}]`;
    case "constant":
      return `always 0x${toHex(s.bytes.subarray(0, 32))}${s.bytes.length > 32 ? `... (${s.bytes.length} bytes)` : ""}`;
    case "reference": return names[s.to] ?? `#${s.to}`;
    case "opaque": return `opaque ${quotedName(s.name)} version ${s.version}${s.size === null ? "" : ` of ${s.size} bytes`}`;
    case "irregular": return `irregular ${quotedName(s.name)}`;
    default: {
      const text = [capital(s.k), ...children(s).map((x) => argument(names, x))].join(" ");
      return "compact" in s && s.compact ? `Compact (${text})` : text;
    }
  }
}

function leafName(l: Leaf): string {
  if (NUMBERS.has(l.type)) return `${l.enc === "" ? "" : `${capital(l.enc)} `}${capital(l.type)}`;
  if (l.type === "float32" || l.type === "float64") {
    return `${l.enc === "" ? "" : "BigEndian "}${l.type === "float32" ? "Float" : "Double"}`;
  }
  if (l.type === "fixedPoint") return `Fixed ${l.units}`;
  return (l.compact ? "Compact " : "") + (NAMES[l.type] as string);
}

const NAMES: Record<string, string> = {
  unit: "()", bool: "Bool", char: "Char", scalarValue: "ScalarValue", integer: "Integer", natural: "Natural", date: "Day",
  duration: "DiffTime", bytes: "ByteString", byteArray: "ByteArray", utf8: "Text", utf16: "UTF16",
};
