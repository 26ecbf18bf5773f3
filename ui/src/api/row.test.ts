// Columns of messages that have a name more than once, or values that are not text.
import { expect, test } from "vitest";
import { columnOf, valuesOf, type Json, type Row } from "./row.ts";

function rowWith(values: Record<string, Json>): Row {
  return {
    sequence: 1,
    received_us: 0,
    event_us: 0,
    event_offset_s: 0,
    event_quality: "known",
    facility: "user",
    severity: "notice",
    host: "gw1",
    program: "",
    pid: "",
    msgid: "",
    source: "s",
    peer: "",
    message: "text",
    tags: ["a", "b"],
    values,
  };
}

test.each<[Json | undefined, string[], string]>([
  ["plain", ["plain"], "plain"],
  [["1.2.3.4", "5.6.7.8"], ["1.2.3.4", "5.6.7.8"], "1.2.3.4, 5.6.7.8"],
  [["x, y"], ["x, y"], "x, y"],
  [7, ["7"], "7"],
  [false, ["false"], "false"],
  [null, [""], ""],
  [undefined, [""], ""],
  [[], [], ""],
  [{ a: [1] }, ['{"a":[1]}'], '{"a":[1]}'],
  [[1, { a: 2 }, null], ["1", '{"a":2}', "null"], '1, {"a":2}, null'],
])("%j", (value, values, text) => {
  const row = rowWith(value === undefined ? {} : { name: value });
  expect(valuesOf(row, "name")).toEqual(values);
  expect(columnOf(row, "name")).toBe(text);
});

test("columns that every message has", () => {
  expect(valuesOf(rowWith({}), "tags")).toEqual(["a", "b"]);
  expect(valuesOf(rowWith({}), "host")).toEqual(["gw1"]);
  expect(columnOf(rowWith({}), "tags")).toBe("a, b");
});
