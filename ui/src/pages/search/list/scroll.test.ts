import { expect, test } from "vitest";
import { CANVAS_PX_MAX, FixedRows, MeasuredRows, ROW_PX } from "./scroll.ts";

test("short lists are drawn as they are", () => {
  const rows = new FixedRows(1_000, 480);
  rows.scrolledTo(2_400);
  expect([rows.first(), rows.last(), rows.canvasTop(100, 2_400), rows.scrollTopPx]).toEqual([100, 120, 2_400, 2_400]);
  expect(rows.scrollToRow(99)).toBe(99 * ROW_PX);
  expect(rows.scrollToRow(200)).toBe(201 * ROW_PX - 480);
});

test("a list of ten million rows reaches every row", () => {
  const rows = new FixedRows(10_000_000, 480);
  expect(rows.canvasPx).toBe(CANVAS_PX_MAX);
  rows.scrolledTo(CANVAS_PX_MAX - 480);
  expect(rows.last()).toBe(9_999_999);
  rows.scrolledTo(CANVAS_PX_MAX - 480 - 120);
  // A small move is exact to the pixel.
  expect(rows.first()).toBe(10_000_000 - 20 - 5);
  rows.scrolledTo(CANVAS_PX_MAX / 2);
  expect(Math.abs(rows.first() - 5_000_000)).toBeLessThan(200);
  const rest = rows.scrollTopPx;
  rows.correctedTo(rest);
  const first = rows.first();
  rows.scrolledTo(rest + ROW_PX);
  expect(rows.first()).toBe(first + 1);
  rows.scrolledTo(0);
  expect(rows.first()).toBe(0);
});

test("measured rows are found by their pixels", () => {
  const rows = new MeasuredRows();
  rows.resize(100);
  expect(
    rows.measure(
      [
        [0, 100],
        [1, 20],
      ],
      5,
    ),
  ).toBe(56);
  expect([rows.topOf(1), rows.topOf(2), rows.topOf(3)]).toEqual([100, 120, 152]);
  expect([rows.indexAt(0), rows.indexAt(99), rows.indexAt(100), rows.indexAt(119.5), rows.indexAt(1e9)]).toEqual([
    0, 0, 1, 1, 99,
  ]);
  expect(rows.totalPx).toBe(120 + 98 * 32);
});
