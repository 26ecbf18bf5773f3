// Writes licences.txt: the licence texts of everything that the page carries, as those licences ask.
//
// In: the modules and fonts of the bundle. Out: one file; an error when a package has no licence text.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export function licences(): Plugin {
  const folders = new Set<string>();
  const add = (path: string): void => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll("\\", "/"))?.[0];
    if (folder) folders.add(folder.replace(/^\0/, ""));
  };
  return {
    name: "licences",
    apply: "build",
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type === "chunk") output.moduleIds.forEach(add);
        else output.originalFileNames.forEach((name) => add(join(process.cwd(), name)));
      }
      const texts = [...folders].sort().map(textOf);
      this.emitFile({ type: "asset", fileName: "licences.txt", source: texts.join("\n\n") });
    },
  };
}

function textOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = existsSync(folder) && readdirSync(folder).find((known) => /^licen[cs]e/i.test(known));
  if (!file) throw new Error(`${name} has no licence text`);
  return `${name} ${version}\n${"=".repeat(72)}\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
