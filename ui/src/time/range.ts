// A time range as the API accepts it: two instants as text, either of which may be empty (open).
//
// An instant is "now", "now-15m", seconds since 1970, or ISO 8601. This file parses, resolves, shifts and zooms ranges.
// Times are microseconds since 1970; a number holds them exactly until the year 2255.

export interface Range {
  from: string;
  to: string;
}

/** A range with both ends known, in microseconds. */
export interface Span {
  fromUs: number;
  toUs: number;
}

/** Microseconds of the units of durations, the shortest first. */
export const UNIT_US: Record<string, number> = {
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
  d: 86_400_000_000,
  w: 604_800_000_000,
};
const RELATIVE = /^now(?:([+-])(\d{1,6})([smhdw]))?$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

export function isRelative(text: string): boolean {
  return RELATIVE.test(text);
}

export function isInstant(text: string): boolean {
  return RELATIVE.test(text) || /^\d{9,11}(\.\d+)?$/.test(text) || (ISO.test(text) && !Number.isNaN(isoToUs(text)));
}

/** Microseconds of an instant; undefined when it is open or cannot be read. */
export function toUs(text: string, nowUs: number): number | undefined {
  const relative = RELATIVE.exec(text);
  if (relative) {
    const [, sign, count, unit] = relative;
    if (!sign) return nowUs;
    return nowUs + (sign === "-" ? -1 : 1) * Number(count) * UNIT_US[unit!]!;
  }
  if (/^\d{9,11}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000_000);
  const us = ISO.test(text) ? isoToUs(text) : NaN;
  return Number.isNaN(us) ? undefined : us;
}

/** ISO 8601 in UTC; the fraction is as short as it can be. */
export function fromUs(us: number): string {
  const whole = Math.floor(us / 1_000_000);
  const fraction = us - whole * 1_000_000;
  const text = new Date(whole * 1000).toISOString().slice(0, 19);
  return fraction ? `${text}.${String(fraction).padStart(6, "0").replace(/0+$/, "")}Z` : `${text}Z`;
}

/** Returns a span as an absolute range. */
export function absolute(span: Span): Range {
  return { from: fromUs(span.fromUs), to: fromUs(span.toUs) };
}

/** Resolves a range to absolute times; open ends are taken from `known`, the range that the server searched. */
export function resolve(range: Range, nowUs: number, known?: Span): Span {
  const to = toUs(range.to, nowUs) ?? known?.toUs ?? nowUs;
  const from = toUs(range.from, nowUs) ?? known?.fromUs ?? to - UNIT_US["h"]!;
  return from <= to ? { fromUs: from, toUs: to } : { fromUs: to, toUs: from };
}

const BARS = 60;
const BARS_MIN = 40;
const BARS_MAX = 90;
const ROUND_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];

/** Returns the number of bars to request, such that one is a round time wide if possible. */
export function barCountFor(span: Span): number {
  const seconds = (span.toUs - span.fromUs) / 1_000_000;
  const fitting = ROUND_S.map((width) => seconds / width).filter(
    (bars) => Number.isInteger(bars) && bars >= BARS_MIN && bars <= BARS_MAX,
  );
  return fitting.sort((a, b) => Math.abs(a - BARS) - Math.abs(b - BARS))[0] ?? BARS;
}

/** Returns the range before (-1) or after (+1), which overlaps this one by half. */
export function shift(span: Span, direction: -1 | 1): Span {
  const step = Math.max(1, Math.round((span.toUs - span.fromUs) / 2)) * direction;
  return { fromUs: span.fromUs + step, toUs: span.toUs + step };
}

/** Returns a range twice as long around the same middle; its end stays in the past. */
export function zoomOut(span: Span, nowUs: number): Span {
  const half = Math.max(500_000, (span.toUs - span.fromUs) / 2);
  const to = Math.min(Math.round(span.toUs + half), Math.max(nowUs, span.toUs));
  return { fromUs: Math.round(to - 4 * half), toUs: to };
}

function isoToUs(text: string): number {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? "";
  const whole = Date.parse(text.replace(/\.\d+/, ""));
  return whole * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
