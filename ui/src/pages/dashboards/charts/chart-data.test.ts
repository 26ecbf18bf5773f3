import { expect, test } from "vitest";
import type { Cell, SearchAnswer } from "../../../api/search.ts";
import { axisMarks, chartOf, numberIn, SERIES_MAX } from "./chart-data.ts";

const answer = (more: Partial<SearchAnswer>): SearchAnswer => ({
  snapshot: 1,
  total: 7,
  took_ms: 1,
  scanned: 9,
  from_us: 0,
  to_us: 1,
  bars: { start_us: 0, width_us: 0, counts: [] },
  rows: [],
  facets: [],
  hints: [],
  ...more,
});
const table = (columns: string[], rows: Cell[][]): SearchAnswer => answer({ table: { columns, rows, more: false } });

test("bars of counts are one series over time", () => {
  const chart = chartOf(answer({ bars: { start_us: 100, width_us: 50, counts: [1, 0, 3] } }))!;
  expect(chart.times).toEqual([100, 150, 200]);
  expect(chart.series).toEqual([{ name: "messages", values: [1, 0, 3] }]);
  expect(chartOf(answer({}))).toBeUndefined();
});

test("a timechart by a field has a series for each value, the rest added up", () => {
  const at = (minute: number): string => `2026-11-28T10:0${minute}:00Z`;
  const rows: Cell[][] = [];
  for (let host = 0; host < 8; host++) for (const minute of [0, 1]) rows.push([at(minute), `h${host}`, 10 - host]);
  const chart = chartOf(table(["time", "host", "count()"], rows))!;
  expect(chart.times).toHaveLength(2);
  expect(chart.widthUs).toBe(60_000_000);
  expect(chart.series).toHaveLength(SERIES_MAX);
  expect(chart.series.at(-1)).toEqual({ name: "other (3)", values: [12, 12] });
  const total = chart.series.flatMap(({ values }) => values).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  expect(total).toBe(rows.reduce((sum, row) => sum + (row[2] as number), 0));
  // Averages cannot be added up.
  expect(chartOf(table(["time", "host", "avg(ms)"], rows))!.series.map(({ name }) => name)).not.toContain("other (3)");
});

test("a timechart covers the whole range, also where no message is", () => {
  const us = (text: string): number => Date.parse(text) * 1000;
  const times = (rows: string[], from: string, to: string): number[] => {
    const table = {
      columns: ["time", "host", "count()"],
      rows: rows.map((time): Cell[] => [time, "a", 1]),
      more: false,
    };
    const chart = chartOf(answer({ table, from_us: us(from), to_us: us(to) }))!;
    expect(chart.series[0]!.values).toHaveLength(chart.times!.length);
    expect(chart.series[0]!.values.filter((value) => value === 1)).toHaveLength(rows.length);
    return chart.times!;
  };
  const two = times(["2026-11-28T10:02:00Z", "2026-11-28T10:03:00Z"], "2026-11-28T10:00:30Z", "2026-11-28T10:06:00Z");
  expect([two.length, two[0]]).toEqual([6, us("2026-11-28T10:00:00Z")]);
  const values = (column: string): (number | null)[] =>
    chartOf(
      answer({
        table: { columns: ["time", "host", column], rows: [["2026-11-28T10:00:00Z", "a", 5]], more: false },
        from_us: us("2026-11-28T10:00:00Z"),
        to_us: us("2026-11-28T10:30:00Z"),
      }),
    )!.series[0]!.values;
  expect(values("count()")[1]).toBe(0);
  expect(values("avg(ms)")[1]).toBeNull();
  const one = times(["2026-11-28T10:30:00Z"], "2026-11-28T10:00:00Z", "2026-11-28T11:00:00Z");
  expect(one).toHaveLength(30);
});

test("a timechart of functions has a series for each", () => {
  const chart = chartOf(table(["time", "count()", "max(ms)"], [["2026-11-28T10:00:00Z", 5, null]]))!;
  expect(chart.series).toEqual([
    { name: "count()", values: [5] },
    { name: "max(ms)", values: [null] },
  ]);
});

test("a table of values has a point for each row, with what it stands for", () => {
  const chart = chartOf(
    table(
      ["host", "program", "count()", "percent"],
      [
        ["a", "b", 3, 60],
        ["a", null, 2, 40],
      ],
    ),
  )!;
  expect(chart.labels).toEqual(["a, b", "a, "]);
  expect(chart.keys[0]).toEqual([
    { field: "host", value: "a" },
    { field: "program", value: "b" },
  ]);
  expect(chart.series).toEqual([{ name: "count()", values: [3, 2] }]);
  expect(chartOf(table(["host"], [["a"]]))).toBeUndefined();
  expect(chartOf(table(["host", "count()"], []))).toBeUndefined();
});

test("a number is the total, or the first cell", () => {
  expect(numberIn(undefined)).toBeUndefined();
  expect(numberIn(answer({}))).toBe(7);
  expect(numberIn(table(["avg(ms)"], [[5.5]]))).toBe(5.5);
  expect(numberIn(table(["avg(ms)"], [[null]]))).toBeUndefined();
});

test("marks of an axis are round and cover the largest value", () => {
  expect(axisMarks(0, 4)).toEqual([0, 1]);
  expect(axisMarks(7, 4)).toEqual([0, 2, 4, 6, 8]);
  expect(axisMarks(1_234, 4)).toEqual([0, 500, 1_000, 1_500]);
  expect(axisMarks(0.3, 3).at(-1)).toBeGreaterThanOrEqual(0.3);
  expect(axisMarks(1e12, 4).length).toBeLessThan(8);
});
