/** The compression `zlib`, by Node. */
import { deflateSync, inflateSync } from "node:zlib";

/** Expands a body to so many bytes, or says why not. It makes no more bytes than one more. */
export function inflate(body: Uint8Array, size: number): Uint8Array | string {
  try {
    const r = inflateSync(body, { maxOutputLength: size + 1, info: true }) as { buffer: Uint8Array; engine: { bytesWritten: number } };
    if (r.buffer.length > size) return `it expands to more than ${size} bytes`;
    return r.engine.bytesWritten < body.length ? "Ashlar.Zlib: bytes follow the compressed input" : r.buffer;
  } catch (e) {
    const x = e as { code?: string; message: string };
    if (x.code === "ERR_BUFFER_TOO_LARGE") return `it expands to more than ${size} bytes`;
    if (x.code === "Z_BUF_ERROR") return "Ashlar.Zlib: the compressed input ends too early";
    return `Ashlar.Zlib: the compressed input is damaged: ${x.message}`;
  }
}

/** Compresses a body. */
export function deflate(body: Uint8Array): Uint8Array {
  return deflateSync(body, { level: 6 });
}
