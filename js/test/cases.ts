import { existsSync, readFileSync } from "node:fs";

/** The cases of a file in the folder `conformance` of the repository, or of `$ASHLAR_CONFORMANCE`. */
export function cases(name: string): Array<Record<string, unknown>> {
  const found = process.env["ASHLAR_CONFORMANCE"] ?? new URL("../../../conformance", import.meta.url).pathname;
  if (!existsSync(found)) throw new Error(`no folder ${found}`);
  return (JSON.parse(readFileSync(`${found}/${name}.json`, "utf8")) as { cases: Array<Record<string, unknown>> }).cases;
}
