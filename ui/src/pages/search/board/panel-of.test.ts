import { expect, test } from "vitest";
import type { ChartKind } from "../../../view/view.ts";
import { kindFor, panelOf, titleOf } from "./panel-of.ts";

test("the panel shows what the page shows", () => {
  const rows: [string, ChartKind | undefined, string][] = [
    ["", undefined, "bar"],
    ["failed", undefined, "bar"],
    ["failed", "pie", "bar"],
    ["a | head 5", undefined, "messages"],
    ["a | top host", undefined, "bar"],
    ["a | top host", "pie", "pie"],
    ["a | timechart 1h count()", undefined, "line"],
    ["a | timechart 1h count()", "area", "line"],
    ["a | timechart 1h count()", "heat", "heat"],
    ["a | stats count() by host", undefined, "bar"],
    ["a | stats count()", undefined, "number"],
    ["a | stats count() by host | sort host", undefined, "table"],
    ["a | patterns", undefined, "table"],
    ["a | top host | diff earlier=1h", undefined, "table"],
  ];
  for (const [query, chart, want] of rows) expect(kindFor(query, chart), `${query} as ${chart}`).toBe(want);
});

test("nothing of a query is a parameter", () => {
  expect(panelOf('text:"${x}" | top host', undefined, "T")).toEqual({
    title: "T",
    kind: "bar",
    query: 'text:"$\\{x}" | top host',
    options: {},
    w: 6,
    h: 3,
  });
  expect(panelOf("", undefined, "T").query).toBe("*");
});

test("titles are short", () => {
  expect(titleOf("", undefined)).toBe("Messages");
  expect(titleOf("*", undefined)).toBe("Messages");
  expect(titleOf("a", "Failed logins")).toBe("Failed logins");
  expect(titleOf("x".repeat(80), undefined)).toHaveLength(60);
});
