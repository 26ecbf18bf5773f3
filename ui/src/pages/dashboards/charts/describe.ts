// Charts in words: a sentence for those who do not see them, and the text of one point.
import { formatNumber, formatShortTime } from "../../../time/format.ts";
import type { Zone } from "../../../time/zone.ts";
import type { ChartData, Series } from "./chart-data.ts";

export function pointName(data: ChartData, index: number, zone: Zone): string {
  const us = data.times?.[index];
  return us === undefined ? (data.labels[index] ?? "") : formatShortTime(us, zone);
}

export function pointText(data: ChartData, series: Series, index: number, zone: Zone): string {
  const value = series.values[index];
  const shown = value === null || value === undefined ? "nothing" : formatNumber(value);
  const name = data.series.length > 1 ? `, ${series.name}` : "";
  return `${pointName(data, index, zone)}${name}: ${shown}`;
}

/** "Lines: 60 points, from 0 to 4 711, the largest at 2026-11-28 14:05." */
export function describe(kind: string, title: string, data: ChartData, zone: Zone): string {
  const count = data.times?.length ?? data.labels.length;
  let best: { series: Series; index: number; value: number } | undefined;
  for (const series of data.series)
    for (const [index, value] of series.values.entries())
      if (value !== null && (!best || value > best.value)) best = { series, index, value };
  const series = data.series.length > 1 ? `, ${data.series.length} series` : "";
  const peak = best ? `; the largest is ${pointText(data, best.series, best.index, zone)}` : "; no values";
  return `${title ? `${title}: ` : ""}${kind}, ${count} points${series}${peak}.`;
}
