import { expect, test } from "vitest";
import { changeText, earlierColumn, missingEarlier } from "./comparison.ts";

test.each([
  [0, 0, "0"],
  [0, 7, "0"],
  [890, 0, "+890 (new)"],
  [-5, 5, "\u22125 (gone)"],
  [12, 35, "+12 (+34 %)"],
  [-12, 35, "\u221212 (\u221234 %)"],
  [1, 1000, "+1 (+<1 %)"],
])("a change of %d from %d", (change, earlier, text) => {
  expect(changeText(change, earlier)).toBe(text);
});

test("a column of changes knows its earlier values", () => {
  const columns = ["host", "count", "earlier count", "change count", "change x", "changes"];
  expect(columns.map((_, column) => earlierColumn(columns, column))).toEqual([
    undefined,
    undefined,
    undefined,
    2,
    undefined,
    undefined,
  ]);
});

const HOUR = 3.6e9;
const span = { fromUs: 10 * HOUR, toUs: 11 * HOUR };

test.each<[string, number, "all" | "part" | undefined]>([
  ["* | top host", 11, undefined],
  ["* | top host | diff earlier=1h", 9, undefined],
  ["* | top host | diff earlier=1h", 9.5, "part"],
  ["* | top host | diff earlier=1h", 10, "all"],
  ["* | top host | diff earlier=60m", 10.5, "all"],
  ['"| diff earlier=1h" | top host', 10.5, undefined],
])("%s with messages since hour %d", (query, oldest, want) => {
  expect(missingEarlier(query, span, oldest * HOUR)).toBe(want);
});
