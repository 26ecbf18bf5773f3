// How the page is built: hashed assets under dist/, every URL relative so that any path prefix works, and nothing
// inlined, because the server's Content-Security-Policy allows neither inline code nor data: URLs.
import { defineConfig } from "vitest/config";
import { licences } from "./build/licences.ts";
import { compress } from "./build/compress.ts";
import { nestedDocument } from "./build/nested-document.ts";

export default defineConfig({
  base: "./",
  plugins: [licences(), nestedDocument(), compress()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 400,
  },
  test: { include: ["src/**/*.test.ts", "mock/**/*.test.ts"], environment: "node" },
});
