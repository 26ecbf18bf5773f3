import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const CSS = readFileSync(new URL("./theme.css", import.meta.url), "utf8");
const TEXTS = [
  "text",
  "muted",
  "accent",
  "crit",
  "err",
  "warning",
  "notice",
  "info",
  "debug",
  "syntax-field",
  "syntax-operator",
  "syntax-phrase",
  "syntax-regex",
];
const GROUNDS = ["background", "surface", "raised", "hover", "selected"];

function colors(theme: string): Record<string, string> {
  const block = CSS.slice(CSS.indexOf(`:root[data-theme="${theme}"]`)).split("}")[0]!;
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, value]) => [name!, value!]),
  );
}

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

for (const theme of ["light", "dark"]) {
  test(`the ${theme} theme can be read: 4.5:1 for all text`, () => {
    const of = colors(theme);
    const weak: string[] = [];
    const check = (text: string, ground: string, least: number): void => {
      const ratio = contrast(of[text]!, of[ground]!);
      if (!(ratio >= least)) weak.push(`${text} on ${ground}: ${ratio.toFixed(2)}`);
    };
    for (const text of TEXTS) for (const ground of GROUNDS) check(text, ground, 4.5);
    check("on-accent", "accent", 4.5);
    check("on-accent", "accent-strong", 4.5);
    check("text", "highlight", 4.5);
    check("text", "bar-soft", 4.5);
    check("muted", "sunken", 4.5);
    // Visible parts other than text: 3:1.
    check("bar", "surface", 3);
    check("focus", "background", 3);
    expect(weak).toEqual([]);
  });
}
