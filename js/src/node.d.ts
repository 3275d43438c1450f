/** The parts of Node that this package uses. */
declare const process: {
  argv: string[]; env: Record<string, string | undefined>; exitCode: number;
  stdout: {
    write(t: string): boolean;
    once(event: "drain", f: () => void): void;
    on(event: "error", f: (e: Error & { code?: string }) => void): void;
  };
  stderr: { write(t: string): boolean };
  exit(status: number): never;
};
declare const Buffer: { from(bytes: Uint8Array): Uint8Array };
declare module "node:fs" {
  export function existsSync(path: string): boolean;
  export function readFileSync(path: string): Uint8Array;
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function openSync(path: string, flags: string): number;
  export function closeSync(fd: number): void;
  export function readSync(fd: number, into: Uint8Array, at: number, n: number, offset: number): number;
  export function fstatSync(fd: number): { size: number };
  export function writeFileSync(path: string, data: Uint8Array | string): void;
  export function mkdtempSync(prefix: string): string;
}
declare module "node:zlib" {
  export function inflateSync(data: Uint8Array, options?: { maxOutputLength?: number; info?: boolean }): unknown;
  export function deflateSync(data: Uint8Array, options?: { level?: number }): Uint8Array;
}
declare module "node:test" {
  export default function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  const assert: {
    equal(a: unknown, b: unknown, why?: string): void;
    deepEqual(a: unknown, b: unknown, why?: string): void;
    ok(a: unknown, why?: string): void;
    throws(f: () => unknown, why?: unknown): void;
    rejects(p: Promise<unknown>, why?: unknown): Promise<void>;
  };
  export default assert;
}
declare module "node:child_process" {
  export function execFileSync(file: string, args: string[], options: { encoding: "utf8"; timeout?: number; stdio?: unknown }): string;
  export function spawnSync(file: string, args: string[], options: { encoding: "utf8" }): { status: number; stdout: string; stderr: string };
}
