import { expect, test } from "vitest";
import { withQuery } from "./recent.ts";

test("the newest query comes first, each once, not too many", () => {
  expect(withQuery(["a", "b"], " b ")).toEqual(["b", "a"]);
  expect(withQuery(["a"], "*")).toEqual(["a"]);
  expect(withQuery(["a"], "")).toEqual(["a"]);
  expect(withQuery(["a"], "x".repeat(1_001))).toEqual(["a"]);
  const many = Array.from({ length: 40 }, (_, at) => `q${at}`).reduce<string[]>(withQuery, []);
  expect([many.length, many[0], many.at(-1)]).toEqual([30, "q39", "q10"]);
});
