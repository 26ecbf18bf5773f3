// Writes a second document of the page, for addresses that lie in a folder: its files are a folder higher.
//
// In: the built `index.html`, whose addresses are relative. Out: `nested.html`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export function nestedDocument(): Plugin {
  return {
    name: "nested-document",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      const document = readFileSync(join(dir, "index.html"), "utf8");
      const nested = document.replaceAll('="./', '="../');
      if (nested === document) throw new Error("index.html has no relative addresses");
      writeFileSync(join(dir, "nested.html"), nested);
    },
  };
}
