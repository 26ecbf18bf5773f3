// Writes compressed files (.br, .gz) beside the built ones, and keeps the page within its size.
//
// In: the folder of the built page. Out: compressed files; an error when a file has grown beyond its budget.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** What every visit loads before it can search, gzipped; the editor comes later and has its own. */
const FIRST_BYTES_MAX = 120_000;
const LATER_BYTES_MAX = 130_000;

export function compress(): Plugin {
  return {
    name: "compress",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|css|html|svg|txt)$/.test(name)) continue;
        const bytes = readFileSync(join(dir, name));
        const zipped = gzipSync(bytes, { level: 9 });
        const most = /index-.*\.js$/.test(name) ? FIRST_BYTES_MAX : LATER_BYTES_MAX;
        if (zipped.length > most) throw new Error(`${name} is ${zipped.length} bytes gzipped, more than ${most}`);
        writeFileSync(join(dir, `${name}.gz`), zipped);
        const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes, options));
      }
    },
  };
}
