// Formats every time and number that the page shows.
import { isRelative, type Range, type Span } from "./range.ts";
import { toWallTime, type Zone } from "./zone.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number): string => String(value).padStart(2, "0");

/** "Nov 21" */
export function formatDay(us: number, zone: Zone): string {
  const wall = toWallTime(us, zone);
  return `${MONTHS[wall.month - 1]} ${two(wall.day)}`;
}

/** "2026-11-21" */
export function formatDate(us: number, zone: Zone): string {
  const wall = toWallTime(us, zone);
  return `${wall.year}-${two(wall.month)}-${two(wall.day)}`;
}

/** Returns true if a range leaves the year that is now, so that its days need their year. */
export function needsYear(span: Span, nowUs: number, zone: Zone): boolean {
  const year = toWallTime(nowUs, zone).year;
  return toWallTime(span.fromUs, zone).year !== year || toWallTime(span.toUs, zone).year !== year;
}

/** "09:32:52.123" */
export function formatClockTime(us: number, zone: Zone): string {
  const wall = toWallTime(us, zone);
  const ms = Math.floor(us / 1000) % 1000;
  return `${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}.${String(ms).padStart(3, "0")}`;
}

/** "2026-11-21 09:32:52.123456" */
export function formatFullTime(us: number, zone: Zone): string {
  const wall = toWallTime(us, zone);
  const fraction = String(us % 1_000_000).padStart(6, "0");
  return `${wall.year}-${two(wall.month)}-${two(wall.day)} ${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}.${fraction}`;
}

/** "2026-11-21 09:32", with seconds only where they are not zero. */
export function formatShortTime(us: number, zone: Zone): string {
  const wall = toWallTime(us, zone);
  const seconds = wall.second ? `:${two(wall.second)}` : "";
  return `${wall.year}-${two(wall.month)}-${two(wall.day)} ${two(wall.hour)}:${two(wall.minute)}${seconds}`;
}

/** From this step on, labels on the time axis have a year. */
const YEAR_STEP_US = 40 * 86_400_000_000;

/** A label on the time axis, as fine as the step between two labels. */
export function formatAxisTime(us: number, stepUs: number, zone: Zone): string {
  const wall = toWallTime(us, zone);
  if (stepUs >= YEAR_STEP_US) return `${MONTHS[wall.month - 1]} ${wall.year}`;
  if (stepUs >= 86_400_000_000 || (wall.hour === 0 && wall.minute === 0 && wall.second === 0))
    return formatDay(us, zone);
  const minutes = `${two(wall.hour)}:${two(wall.minute)}`;
  if (stepUs >= 60_000_000) return minutes;
  if (stepUs >= 1_000_000) return `${minutes}:${two(wall.second)}`;
  return formatClockTime(us, zone);
}

const YEAR_US = 365.25 * 86_400e6;
const UNIT_NAMES: Record<string, string> = { s: "second", m: "minute", h: "hour", d: "day", w: "week" };

/** A range in words: "Last 2 hours", "All time", "2026-11-21 09:00 to 10:00". */
export function formatRange(range: Range, zone: Zone, span?: Span): string {
  const last = /^now-(\d+)([smhdw])$/.exec(range.from);
  if (last && range.to === "now") {
    const count = Number(last[1]);
    const unit = UNIT_NAMES[last[2]!]!;
    return count === 1 ? `Last ${unit}` : `Last ${count} ${unit}s`;
  }
  if (!range.from && !range.to) return "All time";
  const text = (instant: string, us: number | undefined): string =>
    !instant || isRelative(instant) || us === undefined ? instant : formatShortTime(us, zone);
  const from = text(range.from, span?.fromUs);
  const to = text(range.to, span?.toUs);
  if (!to) return `Since ${from}`;
  if (!from) return `Until ${to}`;
  // The day is written once.
  return from.slice(0, 10) === to.slice(0, 10) && to.includes(" ")
    ? `${from} \u2013 ${to.slice(11)}`
    : `${from} \u2013 ${to}`;
}

const GROUPED = new Intl.NumberFormat("en", { useGrouping: true });

/** "1 234 567", with thin spaces. */
export function formatCount(value: number): string {
  return GROUPED.format(value).replaceAll(",", "\u2009");
}

/** "1 234.5", with at most six digits behind the point. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 6 }).replaceAll(",", "\u2009");
}

/** "12.3k", "4.7M": where there is no space for all digits. */
export function formatCompact(value: number): string {
  if (value < 1_000) return String(value);
  const [scaled, unit] =
    value < 999_950 ? [value / 1_000, "k"] : value < 999_950_000 ? [value / 1_000_000, "M"] : [value / 1e9, "G"];
  return `${scaled < 10 ? scaled.toFixed(1).replace(/\.0$/, "") : Math.round(scaled)}${unit}`;
}

export function formatPercent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%";
  const share = (100 * part) / whole;
  if (share < 0.1) return "<0.1%";
  return share < 9.95 ? `${share.toFixed(1)}%` : `${Math.round(share)}%`;
}

export function formatBytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  let scaled = value / 1_000;
  let unit = 0;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1_000;
    unit++;
  }
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${units[unit]}`;
}

/** A duration: "120 ms", "4 s", "5 min", "2 h", "3 d", "2 years". */
export function formatDuration(us: number): string {
  const steps: [number, string][] = [
    [2 * YEAR_US, "years"],
    [86_400e6, "d"],
    [3_600e6, "h"],
    [60e6, "min"],
    [1e6, "s"],
    [1e3, "ms"],
  ];
  for (const [size, unit] of steps) {
    if (Math.abs(us) >= size) {
      const scaled = us / (unit === "years" ? YEAR_US : size);
      return `${Math.abs(scaled) < 10 ? Number(scaled.toFixed(1)) : Math.round(scaled)} ${unit}`;
    }
  }
  return `${us} \u00b5s`;
}
