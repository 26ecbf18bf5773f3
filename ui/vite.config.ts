// How the page is built: hashed assets under dist/, every URL relative so that any path prefix works, and nothing
// inlined, because the server's Content-Security-Policy allows neither inline code nor data: URLs. Beside each text file
// lies a packed one (.br, .gz): the server sends it to browsers that take it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** What every visit loads before it can search, gzipped; the editor comes later and has its own. */
const FIRST_BYTES_MAX = 120_000;
const LATER_BYTES_MAX = 130_000;

function pack(): Plugin {
  return {
    name: "pack",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue;
        const bytes = readFileSync(join(dir, name));
        const zipped = gzipSync(bytes, { level: 9 });
        const most = /index-.*\.js$/.test(name) ? FIRST_BYTES_MAX : LATER_BYTES_MAX;
        if (zipped.length > most) throw new Error(`${name} is ${zipped.length} bytes gzipped, more than ${most}`);
        writeFileSync(join(dir, `${name}.gz`), zipped);
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [pack()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 400,
  },
  test: { include: ["src/**/*.test.ts", "mock/**/*.test.ts"], environment: "node" },
} as Parameters<typeof defineConfig>[0]);
