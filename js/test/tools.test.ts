import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { toHex } from "../src/bytes.js";
import { writeBytes } from "../src/files.js";
import { Schema } from "../src/schema.js";
import { leaf } from "../src/shapes.js";
import { deflate } from "../src/zlib.js";

const here = (path: string): string => new URL(path, import.meta.url).pathname;
const order = new Schema({ k: "reference", to: 0 }, [{
  name: "Order", form: "record", order: "unknown", constructors: [{
    name: "Order", retired: false, fields: [{ name: "id", shape: leaf("word16") }, { name: "note", shape: { k: "maybe", of: leaf("utf8") } }],
  }],
}]);
const values = Array.from({ length: 60 }, (_, id) => ({ id, note: id % 2 === 0 ? null : "<b>brick</b>" }));
const whole = writeBytes(order, values, { deflate, blockSize: 100 });
const damaged = whole.slice();
damaged[250] = (damaged[250] as number) ^ 1;

test("the command", () => {
  const folder = mkdtempSync("/tmp/ashlar-js-");
  writeFileSync(`${folder}/orders`, whole);
  writeFileSync(`${folder}/damaged`, damaged);
  const run = (...args: string[]): string => execFileSync("node", [here("../src/cli.js"), ...args], { encoding: "utf8" });
  assert.equal(run("show", `${folder}/orders`, "--json"), values.map((v) => order.toJsonLine(v) + "\n").join(""));
  assert.equal(run("schema", `${folder}/orders`), order.toJson() + "\n");
  assert.equal(run("verify", `${folder}/orders`), "60 records\n");
  assert.throws(() => execFileSync("node", [here("../src/cli.js"), "verify", `${folder}/damaged`], { encoding: "utf8" }), /Command failed/);
});

test("the command, if its output ends, and its exit status", () => {
  const folder = mkdtempSync("/tmp/ashlar-js-");
  const many = Array.from({ length: 20000 }, (_, id) => ({ id, note: "brick" }));
  writeFileSync(`${folder}/many`, writeBytes(order, many));
  writeFileSync(`${folder}/damaged`, damaged);
  const run = (redirected: string): unknown => {
    const script = `set -o pipefail; node ${here("../src/cli.js")} ${redirected}`;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    return [status, stdout, stderr];
  };
  assert.deepEqual(run(`show ${folder}/many | head -n 1`), [0, order.toJsonLine(many[0]) + "\n", ""]);
  assert.deepEqual(run(`show ${folder}/many | wc -l`), [0, "20000\n", ""]);
  assert.deepEqual(run(`show ${folder}/many >/dev/full`), [2, "", "ashlar: ENOSPC: no space left on device, write\n"]);
  assert.deepEqual(run(`show ${folder}/none`), [2, "", `ashlar: ENOENT: no such file or directory, open '${folder}/none'\n`]);
  assert.equal((run(`show ${folder}/damaged >/dev/null`) as unknown[])[0], 1);
  assert.deepEqual(run("show a b"), [2, "", "usage: cli.js show|schema|verify FILE [--json|--typescript]\n"]);
});

test("the page, in Chromium", () => {
  const page = readFileSync(here("../../demo/index.html"), "utf8").replace("../dist/index.js", "./src/index.js");
  const drop = `<script type="module">
    const hex = "${toHex(damaged)}";
    const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "orders"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    // Chromium's time is virtual here, and does not wait for streams. So it is made to pass slowly.
    const ticks = setInterval(() => {
      if (!document.getElementById("found").hidden) clearInterval(ticks);
      for (let i = 0, x = 1; i < 3e6; i++) x = (x * 7) % 1000003;
    }, 10);
  </script></html>`;
  writeFileSync(here("../page.html"), page.replace("</html>", drop));
  const dom = execFileSync("chromium", [
    "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=10000", "--dump-dom",
    `file://${here("../page.html")}`,
  ], { encoding: "utf8", timeout: 40000, stdio: ["ignore", "pipe", "ignore"] });
  assert.ok(dom.includes("export interface Order {\n  id: number;\n  note: string | null;\n}"), dom);
  assert.ok(dom.includes("{\"id\":59,\"note\":\"&lt;b&gt;brick&lt;/b&gt;\"}"), dom);
  assert.ok(/orders: at byte \d+ \(block \d+\), from record \d+ on: wrong checksum/.test(dom), dom);
});
