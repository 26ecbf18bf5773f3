import { expect, test } from "vitest";
import type { PanelAnswer } from "../../api/dashboards.ts";
import { cellSearch, exactTerm, panelSearch } from "./cell-search.ts";
import type { ChartData } from "./charts/chart-data.ts";

const US = 1_795_000_000_000_000;
const panel = (query: string): PanelAnswer => ({
  id: "a",
  logspace: "main",
  query,
  answer: {
    snapshot: 1,
    total: 1,
    took_ms: 1,
    scanned: 1,
    from_us: US + 5_000_000,
    to_us: US + 130_000_000,
    bars: { start_us: 0, width_us: 0, counts: [] },
    rows: [],
    facets: [],
    hints: [],
  },
});
const timed: ChartData = {
  times: [US, US + 60_000_000, US + 120_000_000],
  widthUs: 60_000_000,
  labels: [],
  keys: [],
  by: "host",
  series: [
    { name: "gw1", value: "gw1", values: [1, 2, 3] },
    { name: "other (3)", values: [1, 2, 3] },
  ],
};

test("a value of a mark is searched as it is", () => {
  expect(exactTerm("host", 'a*"b\\?')).toBe('host:"a\\*\\"b\\\\\\?"');
  expect(exactTerm(".SDATA.a b@1.c", "d")).toBe('.SDATA.a\\ b@1.c:"d"');
});

test("a mark leads to its interval and its series", () => {
  const query = (text: string, series: number, index: number) =>
    cellSearch(panel(text), "event", timed, { series, index });
  expect(query("failed OR denied | timechart 1m count() by host", 0, 1)).toMatchObject({
    logspace: "main",
    clock: "event",
    query: '(failed OR denied) AND host:"gw1"',
    range: { from: "2026-11-18T11:07:40Z", to: "2026-11-18T11:08:40Z" },
  });
  expect(query("* | timechart 1m count() by host", 0, 1).query).toBe('host:"gw1"');
  expect(query("failed | timechart 1m count() by host", 1, 1).query).toBe("failed");
  // The first and the last interval end with the times that were searched.
  expect(query("*", 0, 0).range.from).toBe("2026-11-18T11:06:45Z");
  expect(query("*", 0, 2).range.to).toBe("2026-11-18T11:08:50Z");
});

test("a row leads to its values, a panel to its query", () => {
  const rows: ChartData = {
    widthUs: 0,
    labels: ["gw1, sshd"],
    keys: [
      [
        { field: "host", value: "gw1" },
        { field: "program", value: "sshd" },
      ],
    ],
    series: [{ name: "count()", values: [3] }],
  };
  const found = cellSearch(panel("* | stats count() by host, program"), "received", rows, { series: 0, index: 0 });
  expect(found.query).toBe('host:"gw1" AND program:"sshd"');
  expect(found.range).toEqual({ from: "2026-11-18T11:06:45Z", to: "2026-11-18T11:08:50Z" });
  expect(panelSearch(panel("a | top host"), "received").query).toBe("a | top host");
});
