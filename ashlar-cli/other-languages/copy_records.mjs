// Read files and write their records to others: FILE SCHEMA COPY...

import { readFileSync, writeFileSync } from "node:fs";
import { Schema, readBytes, writeBytes } from "../../js/dist/index.js";
import { deflate, inflate } from "../../js/dist/zlib.js";

function* valuesOf(path) {
  for (const record of readBytes(readFileSync(path), { inflate })) yield record.value;
}

const names = process.argv.slice(2);
for (let i = 0; i < names.length; i += 3) {
  const schema = Schema.decode(readFileSync(names[i + 1]));
  writeFileSync(names[i + 2], writeBytes(schema, valuesOf(names[i]), { deflate, blockSize: 100 }));
}
