"""Read files and write their records to others: FILE SCHEMA COPY..."""

import sys

import ashlar

names = sys.argv[1:]
for path, schema, copy in zip(names[::3], names[1::3], names[2::3]):
    with open(schema, "rb") as f:
        records = ashlar.bind(ashlar.Schema.decode(f.read()))
    ashlar.write(copy, records, ashlar.read(path), zlib=6, block_size=100)
