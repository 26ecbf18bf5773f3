import { expect, test } from "vitest";
import { countHidden, escapeJson, piecesOf, plainText } from "./hidden.ts";

function check(text: string, want: string, hidden = 1): void {
  expect(plainText(text)).toBe(want);
  expect(countHidden(text)).toBe(hidden);
  expect(
    piecesOf(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
}

test("names what changes the order of letters", () => {
  check("\u202egnp.exe\u202c", "\u27e8RLO\u27e9gnp.exe\u27e8PDF\u27e9", 2);
  check("a\u2067b\u2069", "a\u27e8RLI\u27e9b\u27e8PDI\u27e9", 2);
  check("a\u061cb", "a\u27e8ALM\u27e9b");
});

test("names what cannot be seen", () => {
  check("pass\u200bword", "pass\u27e8ZWSP\u27e9word");
  check("a\u0000b\u001b[31m\u0007", "a\u27e8NUL\u27e9b\u27e8ESC\u27e9[31m\u27e8BEL\u27e9", 3);
  check("a\rb", "a\u27e8CR\u27e9b");
  check("x\u{e0041}", "x\u27e8U+E0041\u27e9");
  check("a\u009bb\u00adc\ufeff", "a\u27e8CSI\u27e9b\u27e8SHY\u27e9c\u27e8BOM\u27e9", 3);
  check("pay\u200dpal", "pay\u27e8ZWJ\u27e9pal");
  check("a\ufe0fb", "a\u27e8U+FE0F\u27e9b");
});

test("keeps what is seen", () => {
  check("ärger 日本語 שלום", "ärger 日本語 שלום", 0);
  check("👩\u200d💻 ❤\ufe0f", "👩\u200d💻 ❤\ufe0f", 0);
  check("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष", 0);
  check("", "", 0);
});

test("breaks of lines and tabs are counted nowhere, and named on one line", () => {
  check("a\nb\tc", "a\u27e8\u21b5\u27e9b\u27e8\u2192\u27e9c", 0);
  expect(piecesOf("a\nb\tc", "kept")).toEqual([{ text: "a\nb\tc" }]);
});

test("JSON stays the same JSON", () => {
  const value = { text: "\u202egnp\u{e0041}\u007f" };
  const json = escapeJson(JSON.stringify(value, null, 2));
  expect(json).toContain('"\\u202egnp\\udb40\\udc41\\u007f"');
  expect(JSON.parse(json)).toEqual(value);
});
