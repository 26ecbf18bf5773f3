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

// Colours of series. Machado, Oliveira and Fernandes 2009, full deficiency, on linear light.
const DEFICIENCIES: Record<string, number[][]> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** Below 8, thin lines are confused. */
const DISTANCE_MIN = 12;

const linear = (hex: string): number[] =>
  [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
const times = (matrix: number[][], vector: number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * vector[at]!, 0));

/** OKLab, times 100. */
function okLab(light: number[]): number[] {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    light.map((value) => Math.min(1, Math.max(0, value))),
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  ).map((value) => 100 * value);
}

for (const theme of ["light", "dark"]) {
  test(`series of the ${theme} theme can be seen and told apart, also by people who see fewer colours`, () => {
    const of = colors(theme);
    const names = [1, 2, 3, 4, 5, 6].map((number) => `series-${number}`);
    const weak: string[] = [];
    for (const name of names) {
      const ratio = contrast(of[name]!, of["surface"]!);
      if (!(ratio >= 3)) weak.push(`${name} on surface: ${ratio.toFixed(2)}`);
    }
    for (const [deficiency, matrix] of Object.entries(DEFICIENCIES)) {
      const seen = names.map((name) => okLab(times(matrix, linear(of[name]!))));
      for (const [index, one] of seen.entries())
        for (const [before, other] of seen.slice(0, index).entries()) {
          const distance = Math.hypot(...one.map((value, at) => value - other[at]!));
          if (!(distance >= DISTANCE_MIN))
            weak.push(`${names[before]} and ${names[index]}, ${deficiency}: ${distance.toFixed(1)}`);
        }
    }
    expect(weak).toEqual([]);
  });
}
