import { expect, test } from "vitest";
import { isNumeric, microseconds, seriesOf, SERIES_MAX } from "./table.ts";

const at = (second: number): string => new Date(second * 1000).toISOString();

test("a table without time has no chart", () => {
  expect(
    seriesOf({
      columns: ["host", "count"],
      rows: [
        ["a", 1],
        ["b", 2],
      ],
      more: false,
    }),
  ).toBeUndefined();
  expect(
    seriesOf({
      columns: ["time", "host"],
      rows: [
        [at(1), "a"],
        [at(2), "b"],
      ],
      more: false,
    }),
  ).toBeUndefined();
});

test("each numeric column is a line", () => {
  const table = {
    columns: ["time", "count", "p95"],
    rows: [
      [at(1), 1, null],
      [at(2), 2, 7],
    ],
    more: false,
  };
  expect(seriesOf(table)).toEqual({
    times: [1, 2],
    lines: [
      { name: "p95", values: [null, 7] },
      { name: "count", values: [1, 2] },
    ],
  });
});

test("each value is a line, the smallest are added up", () => {
  const rows = Array.from({ length: SERIES_MAX + 2 }, (_, n) => [at(n % 2), `h${n}`, 100 - n]);
  const series = seriesOf({ columns: ["time", "host", "count"], rows, more: false })!;
  expect(series.lines.length).toBe(SERIES_MAX);
  expect(series.lines.at(-1)).toEqual({ name: "3 others", values: [92, 93 + 91] });
});

test("a column of numbers may have gaps", () => {
  const table = {
    columns: ["a", "b"],
    rows: [
      [1, "x"],
      [null, "y"],
    ],
    more: false,
  };
  expect([isNumeric(table, 0), isNumeric(table, 1)]).toEqual([true, false]);
});

test("times keep their microseconds", () => {
  expect(microseconds("1970-01-01T00:00:01Z")).toBe(1_000_000);
  expect(microseconds("1970-01-01T00:00:01.123456Z")).toBe(1_123_456);
  expect(microseconds("1970-01-01T00:00:01.5Z")).toBe(1_500_000);
  expect(microseconds("1969-12-31T23:59:59.25Z")).toBe(-750_000);
});
