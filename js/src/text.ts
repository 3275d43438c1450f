/** Numbers and strings as Haskell's JSON has them. */
import { toHex } from "./bytes.js";
import { isWhole, Leaf } from "./shapes.js";

const LARGEST = 1n << 4096n;
const abs = (n: bigint): bigint => (n < 0n ? -n : n);

/** A text as a string. What is not printable is escaped. */
export function quoted(t: string): string {
  if (/^[ !#-[\]-~]*$/.test(t)) return `"${t}"`;
  return JSON.stringify(t).replace(/[^\u0000-\u007e]/gu, (c) => {
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(c)) return c;
    return Array.from({ length: c.length }, (_, i) => "\\u" + c.charCodeAt(i).toString(16).padStart(4, "0")).join("");
  });
}

function digits(n: bigint): string {
  if (abs(n) < LARGEST) return String(n);
  const hex = abs(n).toString(16);
  let width = 16;
  while (width < hex.length) width *= 2;
  return `${n < 0n ? "-" : ""}0x${hex.padStart(width, "0")}`;
}

/** A whole number. */
export function whole(n: bigint): string {
  return abs(n) < LARGEST ? String(n) : `"${digits(n)}"`;
}

/** A fraction, as a string. */
export function fraction(n: bigint, d: bigint): string {
  return `"${digits(n)}/${digits(d)}"`;
}

function decimal(n: bigint, units: bigint): string | null {
  // (Writing a large number in decimal takes quadratic time.)
  if (abs(n) >= LARGEST || units >= 10n ** 40n) return null;
  const text = String(units);
  if (!/^10*$/.test(text)) return null;
  const places = text.length - 1;
  if (places === 0) return String(n);
  return `${n < 0n ? "-" : ""}${abs(n) / units}.${String(abs(n) % units).padStart(places, "0")}`;
}

/** A Modified Julian Day as a date, if its year has at most 6 digits. */
export function dateText(days: bigint): string | null {
  if (abs(days) >= 300000000n) return null;
  const n = Number(days) + 678881;
  const era = Math.floor(n / 146097);
  let day = n - era * 146097;
  let year = Math.floor((day - Math.floor(day / 1460) + Math.floor(day / 36524) - Math.floor(day / 146096)) / 365);
  day -= 365 * year + Math.floor(year / 4) - Math.floor(year / 100);
  let month = Math.floor((5 * day + 2) / 153);
  day = day - Math.floor((153 * month + 2) / 5) + 1;
  month = month < 10 ? month + 3 : month - 9;
  year = year + 400 * era + (month <= 2 ? 1 : 0);
  const two = (k: number): string => String(k).padStart(2, "0");
  return `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

const scratch = new DataView(new ArrayBuffer(8));

/** The fewest digits that round to a positive number and are no end of its interval, and their exponent. */
function shortest(x: number, single: boolean): [string, number] {
  if (x < 9e15 && Number.isInteger(x) && (!single || x < 16777216)) return [String(x), 0];
  const bits = single ? 23n : 52n;
  if (single) scratch.setFloat32(0, x); else scratch.setFloat64(0, x);
  const word = single ? BigInt(scratch.getUint32(0)) : scratch.getBigUint64(0);
  const hidden = 1n << bits;
  let c = word & (hidden - 1n);
  const least = 1 - (single ? 150 : 1075);
  const q = Math.max(Number(word >> bits), 1) - (single ? 150 : 1075);
  const narrow = c === 0n && q > least;
  if (word >= hidden) c += hidden;
  const low = 4n * c - (narrow ? 1n : 2n);
  const value = 4n * c;
  const high = 4n * c + 2n;
  for (let k = Math.trunc((q + 1) * 0.30103) + 1; ; k--) {
    const scale = (k >= 0 ? 1n : 10n ** BigInt(-k)) << BigInt(Math.max(0, q - 2));
    const unit = (k >= 0 ? 10n ** BigInt(k) : 1n) << BigInt(Math.max(0, 2 - q));
    const n = (value * scale) / unit;
    const near = [n + 1n, n].filter((m) => low * scale < m * unit && m * unit < high * scale);
    const [a, b] = near;
    if (a !== undefined) {
      const off = (m: bigint): bigint => abs(m * unit - value * scale);
      return [String(b !== undefined && off(b) < off(a) ? b : a), k];
    }
  }
}

/** A floating-point number as Haskell's `show` writes it. */
export function floating(x: number, single: boolean): string {
  if (Number.isNaN(x)) return '"NaN"';
  if (!Number.isFinite(x)) return x > 0 ? '"Infinity"' : '"-Infinity"';
  const sign = x < 0 || Object.is(x, -0) ? "-" : "";
  if (x === 0) return sign + "0.0";
  const [all, at] = shortest(Math.abs(x), single);
  const exponent = at + all.length;
  const d = all.replace(/0+$/, "");
  if (exponent > 0 && exponent <= 7) return `${sign}${d.padEnd(exponent, "0").slice(0, exponent)}.${d.slice(exponent) || "0"}`;
  if (exponent === 0) return `${sign}0.${d}`;
  return `${sign}${d[0]}.${d.slice(1) || "0"}e${exponent - 1}`;
}

/** A value of a leaf. */
export function leafText(l: Leaf, x: unknown): string {
  switch (l.type) {
    case "unit": return "[]";
    case "bool": return String(x);
    case "float32": return floating(x as number, true);
    case "float64": return floating(x as number, false);
    case "char": case "scalarValue": case "utf8": case "utf16": return quoted(x as string);
    case "bytes": case "byteArray": return `"${toHex(x as Uint8Array)}"`;
    default:
  }
  if (!isWhole(l)) return "null";
  const n = BigInt(x as bigint);
  if (l.type === "fixedPoint") return decimal(n, l.units) ?? fraction(n, l.units);
  if (l.type === "duration") return decimal(n, 1000000000000n) ?? whole(n);
  const date = l.type === "date" ? dateText(n) : null;
  return date === null ? whole(n) : `"${date}"`;
}
