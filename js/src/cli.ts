#!/usr/bin/env node
/** `show FILE [--json]`, `schema FILE [--json|--typescript]`, `verify FILE`. */
import { readFileSync } from "node:fs";
import { Damage } from "./damage.js";
import { AshlarError, escaped } from "./errors.js";
import { fileSchema, readBytes } from "./files.js";
import { jsonOf } from "./output.js";
import { typescriptSource } from "./source.js";
import { inflate } from "./zlib.js";

const USAGE = "usage: cli.js show|schema|verify FILE [--json|--typescript]\n";

/** Write to the standard output, and wait until there is room for more. */
async function say(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise<void>((done) => process.stdout.once("drain", () => done()));
}

async function main(args: string[]): Promise<number> {
  const flags = args.filter((a) => a.startsWith("--"));
  const [command, file, ...rest] = args.filter((a) => !a.startsWith("--"));
  if (command === undefined || file === undefined || rest.length > 0 || flags.some((f) => f !== "--json" && f !== "--typescript")) {
    process.stderr.write(USAGE);
    return 2;
  }
  const bytes = readFileSync(file);
  switch (command) {
    case "show":
      for (const r of readBytes(bytes, { name: file, inflate })) await say(jsonOf(r.schema.facts, r.schema.root, r.value) + "\n");
      return 0;
    case "schema": {
      const schema = fileSchema(bytes);
      await say(flags.includes("--typescript") ? typescriptSource(schema) : schema.toJson() + "\n");
      return 0;
    }
    case "verify": {
      let count = 0;
      let damaged = 0;
      const resync = (lost: { damage: Error }): void => { damaged++; process.stdout.write(escaped(lost.damage.message) + "\n"); };
      const records = readBytes(bytes, { name: file, inflate, resync });
      while (records.next().done !== true) count++;
      await say(`${count} ${count === 1 ? "record" : "records"}\n`);
      return damaged > 0 ? 1 : 0;
    }
    default:
      process.stderr.write(USAGE);
      return 2;
  }
}

/** Say why: the exit status is 1 for damage, and 2 for what cannot be read. */
function failed(e: Error & { code?: string }): number {
  if (!(e instanceof AshlarError) && e.code === undefined) throw e;
  process.stderr.write(`ashlar: ${escaped(e.message)}\n`);
  return e instanceof Damage ? 1 : 2;
}

// If nobody reads the results any more, all is well.
process.stdout.on("error", (e) => process.exit(e.code === "EPIPE" ? 0 : failed(e)));
main(process.argv.slice(2)).catch(failed).then((status) => { process.exitCode = status; });
