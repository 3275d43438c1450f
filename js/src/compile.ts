/**
 * Decoders that are compiled to functions. They read what is usual, and give up for the rest: at the first value that
 * is refused, is nested deep, or has parts that only the exact decoder knows.
 */
import { Facts, fair, isOrdered } from "./facts.js";
import { bigOf } from "./leafread.js";
import { Constructor, Definition, fieldShapes, isPositional, Leaf, NUMBERS, Shape, tagSize } from "./shapes.js";

/** Reads values from an index on, at most so many, and adds them. Returns where the first one begins that it does not read. */
export type Fast = (bytes: Uint8Array, at: number, count: number, out: unknown[]) => number;

const MOST_DEEP = 500;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeText(d: Uint8Array, from: number, to: number): string {
  return strict.decode(d.subarray(from, to));
}

class Unusual extends Error {}

/** Lines of a program that reads shapes. */
class Program {
  readonly functions: string[] = [];
  private next = 0;

  constructor(private readonly facts: Facts) {}

  private name(prefix: string): string {
    return `${prefix}${this.next++}`;
  }

  /** A shape that is read by statements, and the expression of its value. */
  shape(s: Shape, out: string[]): string {
    switch (s.k) {
      case "leaf": return this.leaf(s, out);
      case "between": {
        const v = this.bind(this.leaf(s.leaf, out), out);
        const own = NUMBERS.get(s.leaf.type)?.[0] ?? 8;
        const n = own <= 4 ? "" : "n";
        const clamp = (k: bigint): bigint => (own > 4 ? k : k > 1n << 40n ? 1n << 40n : k < -(1n << 40n) ? -(1n << 40n) : k);
        out.push(`if(${v}<${clamp(s.low)}${n}||${v}>${clamp(s.high)}${n})G();`);
        return v;
      }
      case "maybe": return this.maybe(s.of, out);
      case "tuple": return `[${s.of.map((x) => this.bind(this.beside(x, 0, out), out)).join(",")}]`;
      case "list": case "nonEmpty": return this.list(s.of, s.compact, s.k === "nonEmpty", out);
      case "map": {
        if (isOrdered(this.facts.unordered, s.key) && !this.textKey(s.key)) return this.unusual(out);
        return this.map(s.key, s.value, s.compact, out);
      }
      case "reference": {
        const d = this.facts.definitions[s.to] as Definition;
        if (d.form === "newtype" && !this.facts.recursive.has(s.to)) return this.shape(fieldShapes(d)[0] as Shape, out);
        return `D${s.to}()`;
      }
      default: return this.unusual(out);
    }
  }

  private unusual(out: string[]): string {
    out.push("G();");
    return "null";
  }

  private bind(e: string, out: string[]): string {
    const v = this.name("v");
    out.push(`const ${v}=${e};`);
    return v;
  }

  private beside(s: Shape, more: number, out: string[]): string {
    return fair(this.facts.costOf(s), more) ? this.shape(s, out) : this.unusual(out);
  }

  private textKey(s: Shape): boolean {
    const b = this.facts.bareShape(s);
    return b.k === "leaf" && (NUMBERS.has(b.type) || (b.type === "utf8" && !b.compact));
  }

  private leaf(l: Leaf, out: string[]): string {
    const le = l.enc !== "bigEndian";
    const fixed = (n: number, method: string): string => {
      out.push(`p+=${n};if(p>e)G();`);
      return `w.${method}(p-${n}${n === 1 ? "" : `,${le}`})`;
    };
    const n = NUMBERS.get(l.type);
    if (n !== undefined) {
      const signed = l.type.startsWith("int");
      if (l.enc === "varint" && !signed && n[0] <= 4) {
        const v = this.bind("V()", out);
        out.push(`if(${v}>${n[2]})G();`);
        return v;
      }
      if (l.enc === "varint" || l.enc === "zigzag") return this.unusual(out);
      return fixed(n[0], `get${n[0] === 8 ? "Big" : ""}${signed ? "Int" : "Uint"}${n[0] * 8}`);
    }
    switch (l.type) {
      case "unit": return "[]";
      case "float32": return fixed(4, "getFloat32");
      case "float64": return fixed(8, "getFloat64");
      case "bool": {
        out.push("if(p>=e)G();");
        const v = this.bind("d[p++]", out);
        out.push(`if(${v}>1)G();`);
        return `${v}===1`;
      }
      case "utf8": {
        const k = this.bind(this.length(l.compact, out), out);
        out.push(`if(${k}>e-p)G();`);
        return `T(${k})`;
      }
      case "bytes": case "byteArray": {
        const k = this.bind(this.length(l.compact, out), out);
        out.push(`if(${k}>e-p)G();p+=${k};`);
        return `d.slice(p-${k},p)`;
      }
      case "integer": case "date": case "duration": case "fixedPoint": return "I()";
      default: return this.unusual(out);
    }
  }

  private length(compact: boolean, out: string[]): string {
    if (compact) return "V()";
    out.push("p+=8;if(p>e||w.getUint32(p-4,true)!==0)G();");
    return "w.getUint32(p-8,true)";
  }

  private maybe(of: Shape, out: string[]): string {
    const v = this.name("v");
    out.push(`let ${v}=null;if(p>=e)G();switch(d[p++]){case 0:break;case 1:{`);
    const x = this.beside(of, 1, out);
    out.push(`${v}=${this.facts.mayBeNull(of) ? `{just:${x}}` : x};break;}default:G();}`);
    return v;
  }

  private list(of: Shape, compact: boolean, full: boolean, out: string[]): string {
    if (this.facts.costOf(of)[1] === 0) return this.unusual(out);
    const n = this.bind(this.length(compact, out), out);
    const v = this.bind("[]", out);
    const i = this.name("i");
    out.push(`${full ? `if(${n}===0)G();` : ""}for(let ${i}=0;${i}<${n};${i}++){`);
    const x = this.beside(of, 1, out);
    out.push(`${v}.push(${x});}`);
    return v;
  }

  private map(key: Shape, value: Shape, compact: boolean, out: string[]): string {
    if (this.facts.costOfAll([key, value])[1] === 0) return this.unusual(out);
    const ordered = isOrdered(this.facts.unordered, key);
    const b = this.facts.bareShape(key);
    const text = b.k === "leaf" && b.type === "utf8";
    const n = this.bind(this.length(compact, out), out);
    const v = this.bind("[]", out);
    const i = this.name("i");
    const before = this.name("b");
    out.push(`let ${before};for(let ${i}=0;${i}<${n};${i}++){`);
    const k = this.bind(this.beside(key, 1, out), out);
    if (ordered) {
      // Texts beyond ASCII have another order in JavaScript.
      const check = text ? `/[\\ud800-\\uffff]/.test(${k})||${before}>=${k}` : `${before}>=${k}`;
      out.push(`if(${i}>0&&(${check}))G();${before}=${k};`);
      if (text) out.push(`if(/[\\ud800-\\uffff]/.test(${k}))G();`);
    }
    const x = this.beside(value, 1, out);
    out.push(`${v}.push([${k},${x}]);}`);
    return v;
  }

  private record(c: Constructor, out: string[]): string {
    const values = c.fields.map((f) => this.bind(this.shape(f.shape, out), out));
    if (isPositional(c)) return `[${values.join(",")}]`;
    return `{${c.fields.map((f, i) => `[${JSON.stringify(f.name)}]:${values[i]}`).join(",").replace(/\["([A-Za-z][A-Za-z0-9]*)"\]/g, "$1")}}`;
  }

  /** The function that reads a definition. */
  definition(d: Definition, i: number): string {
    const out: string[] = [];
    let result = "";
    const c = d.constructors[0];
    if (d.form === "sum") {
      const count = d.constructors.length;
      const size = tagSize(count);
      if (count === 0) out.push("G();");
      else out.push(`p+=${size};if(p>e)G();switch(${size === 1 ? "d[p-1]" : "w.getUint16(p-2,true)"}){`);
      d.constructors.forEach((k, tag) => {
        const shapes = k.fields.map((f) => f.shape);
        const inner: string[] = [];
        if (k.retired || !fair(this.facts.costOfAll(shapes), size)) return;
        const value = k.fields.length === 0 ? "" : `,value:${this.record(k, inner)}`;
        out.push(`case ${tag}:{${inner.join("")}z--;return{tag:${JSON.stringify(k.name)}${value}};}`);
      });
      if (count > 0) out.push("default:G();}");
      result = "null";
    } else if (c !== undefined) {
      result = d.form === "newtype" ? this.shape((c.fields[0] as { shape: Shape }).shape, out) : this.record(c, out);
    }
    return `function D${i}(){if(++z>${MOST_DEEP})G();${out.join("")}const r=${result};z--;return r;}`;
  }
}

/** The source of a decoder. */
function sourceOf(root: Shape, facts: Facts): string | null {
  if (!fair(facts.costOf(root)) || facts.costOf(root)[1] === 0) return null;
  const program = new Program(facts);
  const bodies = facts.definitions.map((d, i) => program.definition(d, i));
  const main: string[] = [];
  const value = program.shape(root, main);
  return `"use strict";
let d,w,e=0,p=0,z=0;
function G(){throw U;}
function V(){let n=0,m=1;for(let i=0;i<7;i++){if(p>=e)G();const b=d[p++];n+=(b&127)*m;if(b<128){if(b===0&&i>0)G();return n;}m*=128;}G();}
function I(){const h=V(),n=h>>>1;if(h>1e9||n>e-p)G();p+=n;if(n===0){if(h&1)G();return 0n;}if(d[p-1]===0)G();
let m;if(n<=6){let x=0;for(let i=p-1;i>=p-n;i--)x=x*256+d[i];m=BigInt(x);}else m=B(d,p-n,p);return h&1?-m:m;}
function T(n){const to=p+n;if(n<=24){let s="";for(let i=p;i<to;i++){const c=d[i];if(c>127){const f=p;p=to;return S(d,f,to);}s+=C(c);}p=to;return s;}
const f=p;p=to;return S(d,f,to);}
${bodies.join("\n")}
function R(){${main.join("")}return ${value};}
return function(bytes,at,count,out){d=bytes;w=new DataView(d.buffer,d.byteOffset,d.byteLength);e=d.length;p=at;let done=at;
try{for(let i=0;i<count;i++){z=0;out.push(R());done=p;}}catch(x){if(x!==U&&!(x instanceof TypeError)&&!(x instanceof RangeError))throw x;}finally{d=w=undefined;}
return done;};`;
}

/** A decoder of values of a shape, or `null` where functions cannot be made or the shape is out of the ordinary. */
export function compile(root: Shape, facts: Facts): Fast | null {
  const source = sourceOf(root, facts);
  if (source === null || source.length > 4_000_000) return null;
  try {
    return new Function("U", "S", "B", "C", source)(new Unusual(), decodeText, bigOf, String.fromCharCode) as Fast;
  } catch {
    // A policy of the page, for instance.
    return null;
  }
}
