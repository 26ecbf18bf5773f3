import { describe, expect, test } from "vitest";
import {
  formatCompact,
  formatBytes,
  formatClockTime,
  formatCount,
  formatDuration,
  formatPercent,
  formatFullTime,
  formatRange,
  formatAxisTime,
} from "./format.ts";
import { parseRange } from "./parse.ts";
import { absolute, barCountFor, fromUs, isInstant, resolve, shift, toUs, zoomOut } from "./range.ts";
import { offsetText } from "./zone.ts";

const NOW = Date.UTC(2026, 10, 21, 9, 30, 15) * 1000;

describe("typed ranges", () => {
  function check(typed: string, want: string | undefined): void {
    const range = parseRange(typed, NOW, "utc");
    expect(range && `${range.from} .. ${range.to}`, typed).toBe(want);
  }

  test("last of something", () => {
    check("last 2h", "now-2h .. now");
    check("2 hours", "now-2h .. now");
    check("  LAST   15 Min ", "now-15m .. now");
    check("past week", "now-1w .. now");
    check("90m ago", "now-90m .. now");
    check("-7d", "now-7d .. now");
    check("now-1h", "now-1h .. now");
    check("now-2h to now-1h", "now-2h .. now-1h");
    check("all time", " .. ");
  });

  test("days and wall clock times", () => {
    check("today", "2026-11-21T00:00:00Z .. now");
    check("yesterday", "2026-11-20T00:00:00Z .. 2026-11-21T00:00:00Z");
    check("2026-03-01", "2026-03-01T00:00:00Z .. 2026-03-02T00:00:00Z");
    check("yesterday 14:00-14:20", "2026-11-20T14:00:00Z .. 2026-11-20T14:20:00Z");
    check("yesterday 14:00\u201314:20", "2026-11-20T14:00:00Z .. 2026-11-20T14:20:00Z");
    check("08:00 to 09:15:30", "2026-11-21T08:00:00Z .. 2026-11-21T09:15:30Z");
    check("2026-11-20 23:50 - 2026-11-21 00:10", "2026-11-20T23:50:00Z .. 2026-11-21T00:10:00Z");
    check("since yesterday 18:00", "2026-11-20T18:00:00Z .. now");
  });

  test("pasted instants", () => {
    check("2026-11-21T08:00:00Z", "2026-11-21T07:55:00Z .. 2026-11-21T08:05:00Z");
    check("2026-11-21T09:00:00.5+01:00", "2026-11-21T07:55:00.5Z .. 2026-11-21T08:05:00.5Z");
    check("2026-11-21 08:00:00,250", "2026-11-21T07:55:00.25Z .. 2026-11-21T08:05:00.25Z");
    check("1795248000", "2026-11-21T07:55:00Z .. 2026-11-21T08:05:00Z");
    check("1795248000000", "2026-11-21T07:55:00Z .. 2026-11-21T08:05:00Z");
    check("2026-11-21T08:00:00Z / 2026-11-21T09:00:00Z", "2026-11-21T08:00:00Z .. 2026-11-21T09:00:00Z");
    check("2026-11-21T09:00:00Z to 2026-11-21T08:00:00Z", "2026-11-21T08:00:00Z .. 2026-11-21T09:00:00Z");
  });

  test("nonsense is refused", () => {
    for (const typed of ["", "soon", "25:99", "2026-13-77", "last 2 moons", "hour"]) check(typed, undefined);
  });
});

test("instants round-trip through ISO 8601", () => {
  for (const us of [0, NOW, NOW + 1, NOW + 999_999, NOW + 120_000]) expect(toUs(fromUs(us), 0)).toBe(us);
  expect(toUs("now-15m", NOW)).toBe(NOW - 900_000_000);
  expect(toUs("1795248000.5", 0)).toBe(1_795_248_000_500_000);
  expect(isInstant("2026-99-99T00:00:00Z")).toBe(false);
});

test("windows shift and zoom", () => {
  const span = resolve({ from: "now-1h", to: "now" }, NOW);
  expect(absolute(span)).toEqual({ from: "2026-11-21T08:30:15Z", to: "2026-11-21T09:30:15Z" });
  expect(absolute(shift(span, -1)).from).toBe("2026-11-21T08:00:15Z");
  expect(absolute(zoomOut(span, NOW))).toEqual({ from: "2026-11-21T07:30:15Z", to: "2026-11-21T09:30:15Z" });
  expect(resolve({ from: "", to: "" }, NOW, { fromUs: 5, toUs: 9 })).toEqual({ fromUs: 5, toUs: 9 });
});

test("bars are a round time wide", () => {
  const bars = (seconds: number): number => barCountFor({ fromUs: 5, toUs: 5 + seconds * 1e6 });
  expect([300, 900, 3_600, 21_600, 86_400, 604_800, 2_592_000, 3_601.5].map(bars)).toEqual([
    60, 60, 60, 72, 48, 56, 60, 60,
  ]);
});

test("what people read", () => {
  expect(formatClockTime(NOW + 7_000, "utc")).toBe("09:30:15.007");
  expect(formatFullTime(NOW + 7, "utc")).toBe("2026-11-21 09:30:15.000007");
  expect(formatAxisTime(NOW, 60_000_000, "utc")).toBe("09:30");
  expect(formatRange({ from: "now-2h", to: "now" }, "utc")).toBe("Last 2 hours");
  expect(formatRange(absolute({ fromUs: NOW, toUs: NOW + 60e6 }), "utc", { fromUs: NOW, toUs: NOW + 60e6 })).toBe(
    "2026-11-21 09:30:15 \u2013 09:31:15",
  );
  expect([formatCompact(999), formatCompact(1_000), formatCompact(12_345), formatCompact(4_700_000)]).toEqual([
    "999",
    "1k",
    "12k",
    "4.7M",
  ]);
  expect(formatCount(1_234_567)).toBe("1\u2009234\u2009567");
  expect([formatPercent(1, 3), formatPercent(1, 40), formatPercent(1, 5_000), formatPercent(0, 0)]).toEqual([
    "33%",
    "2.5%",
    "<0.1%",
    "0%",
  ]);
  expect([formatBytes(900), formatBytes(2_440_000)]).toEqual(["900 B", "2.4 MB"]);
  expect([formatDuration(500), formatDuration(94e6), formatDuration(2.5e6)]).toEqual([
    "500 \u00b5s",
    "1.6 min",
    "2.5 s",
  ]);
  expect([offsetText(0), offsetText(3_600), offsetText(-12_600)]).toEqual(["UTC", "UTC+1", "UTC-3:30"]);
});
