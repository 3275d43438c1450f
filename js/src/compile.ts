/**
 * Decoders that are compiled to functions. They read what is usual, and give up for the rest: at the first value that
 * is refused, is nested deep, or has parts that only the exact decoder knows.
 */
import { Costs, Facts, isOrdered } from "./facts.js";
import { bigOf } from "./leafread.js";
import { Constructor, Definition, isPositional, Leaf, NUMBERS, packedLeaf, Shape, shorterCodes, tagSize } from "./shapes.js";

/** Reads values from an index on, at most so many, and adds them. Returns where the first one begins that it does not read. */
export type Fast = (bytes: Uint8Array, at: number, count: number, out: unknown[]) => number;

const MOST_DEEP = 500;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeText(d: Uint8Array, from: number, to: number): string {
  return strict.decode(d.subarray(from, to));
}

class Unusual extends Error {}
class TooLarge extends Error {}

/** The most characters of a program. Each use of a newtype writes all of its code again. */
const MOST_SOURCE = 4_000_000;
/** Greater bounds would be most of a program, as each use of them writes all digits. */
const MOST_BOUND = 1n << 4096n;

/** Statements, one after another, as long as a program has room for them. */
class Statements {
  private readonly all: string[] = [];

  constructor(private readonly room: { left: number }) {}

  push(text: string): void {
    this.room.left -= text.length;
    if (this.room.left < 0) throw new TooLarge();
    this.all.push(text);
  }

  toString(): string {
    return this.all.join("");
  }
}

/** Lines of a program that reads shapes. */
class Program {
  private next = 0;
  private readonly room = { left: MOST_SOURCE };
  // The format of the shape that is at hand.
  private packed = false;
  // The functions of definitions that are called: one for each format.
  private readonly called = new Map<string, { to: number; packed: boolean }>();

  constructor(private readonly facts: Facts) {}

  /** The functions of all definitions that are called, and of those that they call. */
  functions(): string[] {
    // (More are added meanwhile.)
    return Array.from(this.called, ([name, { to, packed }]) =>
      this.inFormat(packed, () => this.definition(name, this.facts.definitions[to] as Definition)));
  }

  /** Statements of the program. */
  statements(): Statements {
    return new Statements(this.room);
  }

  private get costs(): Costs {
    return this.packed ? this.facts.packed : this.facts.plain;
  }

  private inFormat<T>(packed: boolean, f: () => T): T {
    const before = this.packed;
    this.packed = packed;
    const found = f();
    this.packed = before;
    return found;
  }

  private name(prefix: string): string {
    return `${prefix}${this.next++}`;
  }

  /** A shape that is read by statements, and the expression of its value. */
  shape(s: Shape, out: Statements): string {
    switch (s.k) {
      case "leaf": return this.leaf(s, out);
      case "between": {
        if (s.low <= -MOST_BOUND || s.high >= MOST_BOUND) return this.unusual(out);
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
        // Small newtypes are what they wrap. Each use of a large one would write all of it again.
        const bare = this.facts.bare[s.to] as Shape;
        if (bare.k !== "reference" || bare.to !== s.to) return this.shape(bare, out);
        const name = `${this.packed ? "P" : "D"}${s.to}`;
        this.called.set(name, { to: s.to, packed: this.packed });
        return `${name}()`;
      }
      case "packed": {
        if (this.packed) return this.apart(s.of, out);
        // (This may be in a part of a packed value that is not packed.)
        const open = this.bind("o", out);
        const room = this.bind("r", out);
        out.push("r=0;");
        const v = this.bind(this.inFormat(true, () => this.apart(s.of, out)), out);
        out.push(`if(o&(1<<r)-1)G();o=${open};r=${room};`);
        return v;
      }
      case "unpacked": return this.inFormat(false, () => this.apart(s.of, out));
      default: return this.unusual(out);
    }
  }

  private unusual(out: Statements): string {
    out.push("G();");
    return "null";
  }

  private bind(e: string, out: Statements): string {
    const v = this.name("v");
    out.push(`const ${v}=${e};`);
    return v;
  }

  private beside(s: Shape, more: number, out: Statements): string {
    return this.costs.fair(this.costs.of(s), more) ? this.shape(s, out) : this.unusual(out);
  }

  /** One of the shapes of an element. */
  private inElement(shapes: readonly Shape[], s: Shape, out: Statements): string {
    return this.costs.fair(this.costs.together(shapes)) ? this.shape(s, out) : this.unusual(out);
  }

  private apart(s: Shape, out: Statements): string {
    return this.beside(s, 0, out);
  }

  /** The number of one of so many constructors. */
  private tag(count: number, out: Statements): string {
    if (this.packed) return count === 1 ? "0" : count === 2 ? "X()" : `Y(${shorterCodes(count).join()})`;
    const size = tagSize(count);
    out.push(`p+=${size};if(p>e)G();`);
    return size === 1 ? "d[p-1]" : "w.getUint16(p-2,true)";
  }

  private textKey(s: Shape): boolean {
    const b = this.facts.bareShape(s);
    return b.k === "leaf" && (NUMBERS.has(b.type) || (b.type === "utf8" && !b.compact));
  }

  private leaf(l: Leaf, out: Statements): string {
    if (this.packed) l = packedLeaf(l);
    const le = l.enc !== "bigEndian";
    const fixed = (n: number, method: string): string => {
      out.push(`p+=${n};if(p>e)G();`);
      return `w.${method}(p-${n}${n === 1 ? "" : `,${le}`})`;
    };
    const n = NUMBERS.get(l.type);
    if (n !== undefined) {
      const signed = l.type.startsWith("int");
      if (l.enc === "zigzag" || (l.enc === "varint" && !signed)) {
        const big = n[0] === 8;
        const v = this.bind(l.enc === "varint" ? (big ? "L()" : "V()") : big ? "ZL()" : "Z()", out);
        // (All others of 64 bits fit.)
        if (!big) out.push(`if(${v}<${n[1]}||${v}>${n[2]})G();`);
        else if (l.enc === "zigzag" && !signed) out.push(`if(${v}<0n)G();`);
        return v;
      }
      if (l.enc === "varint") return this.unusual(out);
      return fixed(n[0], `get${n[0] === 8 ? "Big" : ""}${signed ? "Int" : "Uint"}${n[0] * 8}`);
    }
    switch (l.type) {
      case "unit": return "[]";
      case "float32": return fixed(4, "getFloat32");
      case "float64": return fixed(8, "getFloat64");
      case "bool": {
        if (this.packed) return "X()===1";
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

  private length(compact: boolean, out: Statements): string {
    if (compact || this.packed) return "V()";
    out.push("p+=8;if(p>e||w.getUint32(p-4,true)!==0)G();");
    return "w.getUint32(p-8,true)";
  }

  private maybe(of: Shape, out: Statements): string {
    const v = this.name("v");
    const tag = this.tag(2, out);
    out.push(`let ${v}=null;switch(${tag}){case 0:break;case 1:{`);
    const x = this.beside(of, 1, out);
    out.push(`${v}=${this.facts.mayBeNull(of) ? `{just:${x}}` : x};break;}default:G();}`);
    return v;
  }

  private list(of: Shape, compact: boolean, full: boolean, out: Statements): string {
    if (this.costs.of(of)[1] === 0) return this.unusual(out);
    const n = this.bind(this.length(compact, out), out);
    const v = this.bind("[]", out);
    const i = this.name("i");
    out.push(`${full ? `if(${n}===0)G();` : ""}for(let ${i}=0;${i}<${n};${i}++){`);
    const x = this.inElement([of], of, out);
    out.push(`${v}.push(${x});}`);
    return v;
  }

  private map(key: Shape, value: Shape, compact: boolean, out: Statements): string {
    const both = [key, value];
    if (this.costs.together(both)[1] === 0) return this.unusual(out);
    const ordered = isOrdered(this.facts.unordered, key);
    const b = this.facts.bareShape(key);
    const text = b.k === "leaf" && b.type === "utf8";
    const n = this.bind(this.length(compact, out), out);
    const v = this.bind("[]", out);
    const i = this.name("i");
    const before = this.name("b");
    out.push(`let ${before};for(let ${i}=0;${i}<${n};${i}++){`);
    const k = this.bind(this.inElement(both, key, out), out);
    if (ordered) {
      // Texts beyond ASCII have another order in JavaScript.
      const check = text ? `/[\\ud800-\\uffff]/.test(${k})||${before}>=${k}` : `${before}>=${k}`;
      out.push(`if(${i}>0&&(${check}))G();${before}=${k};`);
      if (text) out.push(`if(/[\\ud800-\\uffff]/.test(${k}))G();`);
    }
    const x = this.inElement(both, value, out);
    out.push(`${v}.push([${k},${x}]);}`);
    return v;
  }

  private record(c: Constructor, out: Statements): string {
    const values = c.fields.map((f) => this.bind(this.shape(f.shape, out), out));
    if (isPositional(c)) return `[${values.join(",")}]`;
    return `{${c.fields.map((f, i) => `[${JSON.stringify(f.name)}]:${values[i]}`).join(",").replace(/\["([A-Za-z][A-Za-z0-9]*)"\]/g, "$1")}}`;
  }

  /** The function of this name, which reads a definition. */
  private definition(name: string, d: Definition): string {
    const out = this.statements();
    let result = "";
    const c = d.constructors[0];
    if (d.form === "sum") {
      const count = d.constructors.length;
      if (count === 0) out.push("G();");
      else { const tag = this.tag(count, out); out.push(`switch(${tag}){`); }
      d.constructors.forEach((k, tag) => {
        const shapes = k.fields.map((f) => f.shape);
        if (k.retired || !this.costs.fair(this.costs.ofAll(shapes), this.costs.tag(count))) return;
        out.push(`case ${tag}:{`);
        const value = k.fields.length === 0 ? "" : `,value:${this.record(k, out)}`;
        out.push(`z--;return{tag:${JSON.stringify(k.name)}${value}};}`);
      });
      if (count > 0) out.push("default:G();}");
      result = "null";
    } else if (c !== undefined) {
      result = d.form === "newtype" ? this.shape((c.fields[0] as { shape: Shape }).shape, out) : this.record(c, out);
    }
    return `function ${name}(){if(++z>${MOST_DEEP})G();${out}const q=${result};z--;return q;}`;
  }
}

/** The source of a decoder. */
function sourceOf(root: Shape, facts: Facts): string | null {
  if (!facts.plain.fair(facts.plain.of(root))) return null;
  const program = new Program(facts);
  const main = program.statements();
  const value = program.shape(root, main);
  return `"use strict";
const s=new DataView(new ArrayBuffer(8));
let d,w,e=0,p=0,z=0,h=0,o=0,r=0;
function G(){throw U;}
function X(){if(r===0){if(p>=e)G();o=d[p++];r=8;}return o>>--r&1;}
function Y(k,u){let n=0;for(let i=0;i<k;i++)n=2*n+X();return n<u?n:2*n+X()-u;}
function N(){let n=0,m=1;h=0;for(let i=0;i<10;i++){if(p>=e)G();const b=d[p++];if(i<7)n+=(b&127)*m;else h+=(b&127)*m;
if(b<128){if((b===0&&i>0)||h>32767)G();return n;}m=i===6?1:m*128;}G();}
function V(){const n=N();if(h>0)G();return n;}
function M(){const n=N();s.setUint32(0,n,true);s.setUint32(4,(n/4294967296|0)+h*131072,true);}
function L(){M();return s.getBigUint64(0,true);}
function Z(){const n=V();return n%2===0?n/2:-(n+1)/2;}
function ZL(){M();const a=s.getUint32(0,true),b=s.getUint32(4,true),m=-(a&1);
s.setUint32(0,(a>>>1|b<<31)^m,true);s.setUint32(4,b>>>1^m,true);return s.getBigInt64(0,true);}
function I(){const h=V(),n=h>>>1;if(h>1e9||n>e-p)G();p+=n;if(n===0){if(h&1)G();return 0n;}if(d[p-1]===0)G();
let m;if(n<=6){let x=0;for(let i=p-1;i>=p-n;i--)x=x*256+d[i];m=BigInt(x);}else m=B(d,p-n,p);return h&1?-m:m;}
function T(n){const to=p+n;if(n<=24){let s="";for(let i=p;i<to;i++){const c=d[i];if(c>127){const f=p;p=to;return S(d,f,to);}s+=C(c);}p=to;return s;}
const f=p;p=to;return S(d,f,to);}
${program.functions().join("\n")}
function R(){${main}return ${value};}
return function(bytes,at,count,out){d=bytes;w=new DataView(d.buffer,d.byteOffset,d.byteLength);e=d.length;p=at;let done=at;
try{for(let i=0;i<count;i++){z=0;out.push(R());done=p;}}catch(x){if(x!==U&&!(x instanceof TypeError)&&!(x instanceof RangeError))throw x;}finally{d=w=undefined;}
return done;};`;
}

/** A decoder of values of a shape, or `null` where functions cannot be made or the shape is out of the ordinary. */
export function compile(root: Shape, facts: Facts): Fast | null {
  try {
    const source = sourceOf(root, facts);
    if (source === null || source.length > MOST_SOURCE) return null;
    return new Function("U", "S", "B", "C", source)(new Unusual(), decodeText, bigOf, String.fromCharCode) as Fast;
  } catch {
    // The source is too large, or a policy of the page forbids it, for instance.
    return null;
  }
}
