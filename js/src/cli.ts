#!/usr/bin/env node
/** `show FILE [--json]`, `schema FILE [--json|--typescript]`, `verify FILE`. */
import { readFileSync } from "node:fs";
import { AshlarError, escaped } from "./errors.js";
import { fileSchema, readBytes } from "./files.js";
import { typescriptSource } from "./source.js";
import { inflate } from "./zlib.js";

const USAGE = "usage: cli.js show|schema|verify FILE [--json|--typescript]\n";

function main(args: string[]): number {
  const flags = args.filter((a) => a.startsWith("--"));
  const [command, file, ...rest] = args.filter((a) => !a.startsWith("--"));
  if (command === undefined || file === undefined || rest.length > 0 || flags.some((f) => f !== "--json" && f !== "--typescript")) {
    process.stderr.write(USAGE);
    return 2;
  }
  const bytes = readFileSync(file);
  switch (command) {
    case "show":
      for (const r of readBytes(bytes, { name: file, inflate })) process.stdout.write(r.schema.toJsonLine(r.value) + "\n");
      return 0;
    case "schema": {
      const schema = fileSchema(bytes);
      process.stdout.write(flags.includes("--typescript") ? typescriptSource(schema) : schema.toJson() + "\n");
      return 0;
    }
    case "verify": {
      let count = 0;
      let damaged = 0;
      const resync = (lost: { damage: Error }): void => { damaged++; process.stdout.write(escaped(lost.damage.message) + "\n"); };
      const records = readBytes(bytes, { name: file, inflate, resync });
      while (records.next().done !== true) count++;
      process.stdout.write(`${count} ${count === 1 ? "record" : "records"}\n`);
      return damaged > 0 ? 1 : 0;
    }
    default:
      process.stderr.write(USAGE);
      return 2;
  }
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (e) {
  const expected = e instanceof AshlarError || (e as { code?: string }).code !== undefined;
  if (!expected) throw e;
  process.stderr.write(`ashlar: ${escaped((e as Error).message)}\n`);
  process.exitCode = 1;
}
