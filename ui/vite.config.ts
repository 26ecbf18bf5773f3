// How the page is built: hashed assets under dist/, every URL relative so that any path prefix works, and nothing
// inlined, because the server's Content-Security-Policy allows neither inline code nor data: URLs.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
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
