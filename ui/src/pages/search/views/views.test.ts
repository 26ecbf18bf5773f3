import { expect, test } from "vitest";
import { comparedWith, durationOf, microsecondsOf, queryFor, viewOf, type ViewName } from "./views.ts";

test("a view is a pipe in the text of the query", () => {
  const rows: [ViewName, string, string][] = [
    ["messages", "failed", "failed"],
    ["messages", "failed | top 5 host | sort host", "failed"],
    ["messages", "failed | json | stats count() by code", "failed | json"],
    ["messages", "| patterns", ""],
    ["patterns", "", "* | patterns"],
    ["patterns", "failed | where ms:>5 | top host", "failed | where ms:>5 | patterns"],
    ["patterns", "failed | patterns 20", "failed | patterns 20"],
    ["chart", "failed", "failed | timechart count()"],
    ["chart", "failed | patterns", "failed | timechart count()"],
    ["chart", "failed | top host | diff earlier=1h", "failed | top host"],
    ["table", "failed", "failed | top 20 host"],
    ["table", "a | stats count() by host | sort -count", "a | stats count() by host | sort -count"],
    ["compare", "", "* | timechart count() | diff earlier=1h"],
    ["compare", "a | top host", "a | top host | diff earlier=1h"],
    [
      "compare",
      "a | stats count() as n by host | sort -n",
      "a | stats count() as n by host | diff earlier=1h | sort -n",
    ],
    ["compare", "a | top host | diff earlier=1w", "a | top host | diff earlier=1h"],
    ["chart", 'user:"a | b" | top user', 'user:"a | b" | top user'],
  ];
  for (const [view, query, want] of rows) expect(queryFor(view, query, "1h"), `${view} of ${query}`).toBe(want);
  for (const [view, query] of rows) {
    const chart = view === "chart" ? "bar" : undefined;
    expect(viewOf(queryFor(view, query, "1h"), chart), `${view} of ${query}`).toBe(view);
  }
});

test("comparisons have durations", () => {
  const length = (seconds: number): string => durationOf({ fromUs: 0, toUs: seconds * 1e6 });
  expect([3600, 90, 86_400, 604_800, 0.2, 61].map(length)).toEqual(["1h", "90s", "1d", "1w", "1s", "61s"]);
  expect(comparedWith("a | top host | diff earlier=1w")).toBe("1w");
  expect(comparedWith("a | top host | diff 1d")).toBe("1d");
  expect(comparedWith("a | top host")).toBe(undefined);
  expect(["1h", "90s", "1w", "1h30m", "soon"].map(microsecondsOf)).toEqual([3.6e9, 9e7, 6.048e11, 5.4e9, 0]);
});
