// Parses a typed time range.
//
// In: "last 2h", "yesterday 14:00-14:20", an ISO time, two of them, seconds since 1970, "now-1h to now", "all".
// Out: a Range, or undefined when it cannot be read. Wall clock times are read in the zone that the page shows.
import { isInstant, isRelative, fromUs as iso, toUs, type Range } from "./range.ts";
import { fromWallTime, toWallTime, type WallTime, type Zone } from "./zone.ts";

const UNITS: Record<string, string> = {
  s: "s",
  sec: "s",
  secs: "s",
  second: "s",
  seconds: "s",
  m: "m",
  min: "m",
  mins: "m",
  minute: "m",
  minutes: "m",
  h: "h",
  hr: "h",
  hrs: "h",
  hour: "h",
  hours: "h",
  d: "d",
  day: "d",
  days: "d",
  w: "w",
  week: "w",
  weeks: "w",
};
const TIME = String.raw`\d{1,2}:\d{2}(?::\d{2})?`;
const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
/** The range around a pasted moment. */
const AROUND_US = 300_000_000;

export function parseRange(typed: string, nowUs: number, zone: Zone): Range | undefined {
  const text = typed.trim().replace(/\s+/g, " ");
  const low = text.toLowerCase();
  if (low === "all" || low === "all time" || low === "*") return { from: "", to: "" };
  return (
    parseRelative(low) ??
    parseBetween(text, nowUs, zone) ??
    parseWholeDay(low, nowUs, zone) ??
    parseMoment(text, nowUs, zone)
  );
}

/** "last 2h", "2 hours", "past week", "90m ago" */
function parseRelative(text: string): Range | undefined {
  const found = /^(?:last |past |-)?(\d{1,6})? ?([a-z]+)(?: ago)?$/.exec(text);
  const unit = found && UNITS[found[2]!];
  if (!found || !unit) return undefined;
  const count = found[1] ?? "1";
  if (!found[1] && !/^(last|past) /.test(text)) return undefined;
  return { from: `now-${Number(count)}${unit}`, to: "now" };
}

/** Two moments joined by "to", "until", "..", a dash or a slash. The second may leave out its day. */
function parseBetween(text: string, nowUs: number, zone: Zone): Range | undefined {
  const joined =
    /^(?:from )?(.+?)(?: to | until | - | ?\u2013 ?|\.\.| ?\/ ?)(.+)$/i.exec(text) ??
    new RegExp(`^(.*${TIME})-(${TIME})$`).exec(text);
  if (!joined) return undefined;
  const first = parseInstant(joined[1]!, nowUs, zone);
  const second = parseInstant(joined[2]!, nowUs, zone, first?.us);
  if (!first || !second) return undefined;
  if (first.us === undefined || second.us === undefined || first.us <= second.us)
    return { from: first.text, to: second.text };
  return { from: second.text, to: first.text };
}

/** "today", "yesterday", "2026-11-21": from midnight to midnight. */
function parseWholeDay(text: string, nowUs: number, zone: Zone): Range | undefined {
  const start = parseDay(text, nowUs, zone);
  if (!start) return undefined;
  const end = { ...start, day: start.day + 1 };
  return { from: iso(fromWallTime(start, zone)), to: text === "today" ? "now" : iso(fromWallTime(end, zone)) };
}

/** One moment: from it until now when it is relative or after "since", else the minutes around it. */
function parseMoment(text: string, nowUs: number, zone: Zone): Range | undefined {
  const since = /^since (.+)$/i.exec(text);
  const found = parseInstant(since?.[1] ?? text, nowUs, zone);
  if (!found || found.us === undefined) return undefined;
  if (since || isRelative(found.text)) return { from: found.text, to: "now" };
  return { from: iso(found.us - AROUND_US), to: iso(found.us + AROUND_US) };
}

interface Instant {
  text: string;
  us: number | undefined;
}

function parseInstant(typed: string, nowUs: number, zone: Zone, dayUs?: number): Instant | undefined {
  const text = typed.trim();
  if (isRelative(text.toLowerCase())) return { text: text.toLowerCase(), us: toUs(text.toLowerCase(), nowUs) };
  if (/^\d{12,14}$/.test(text)) return instantAt(Number(text) * 1_000);
  if (/^\d{15,17}$/.test(text)) return instantAt(Number(text));
  const withZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) && text.includes(":");
  const isoText = text
    .replace(/^(\d{4}-\d{2}-\d{2}) /, "$1T")
    .replace(/z$/, "Z")
    .replace(/,(\d)/, ".$1");
  if ((withZone || /^\d{9,11}(\.\d+)?$/.test(text)) && isInstant(isoText)) return instantAt(toUs(isoText, nowUs)!);
  return parseWallTime(isoText.replace("T", " "), nowUs, zone, dayUs);
}

function parseWallTime(text: string, nowUs: number, zone: Zone, dayUs?: number): Instant | undefined {
  const found = new RegExp(`^(?:(${DATE}|today|yesterday) ?)?(?:(${TIME})(\\.\\d{1,9})?)?$`, "i").exec(text);
  if (!found || !(found[1] || found[2])) return undefined;
  const start = found[1] ? parseDay(found[1].toLowerCase(), nowUs, zone) : midnight(toWallTime(dayUs ?? nowUs, zone));
  if (!start) return undefined;
  const [hour = 0, minute = 0, second = 0] = (found[2] ?? "0:0").split(":").map(Number);
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  const fraction = Math.round(Number(`0${found[3] ?? ""}`) * 1_000_000);
  return instantAt(fromWallTime({ ...start, hour, minute, second }, zone) + fraction);
}

function parseDay(text: string, nowUs: number, zone: Zone): WallTime | undefined {
  const today = midnight(toWallTime(nowUs, zone));
  if (text === "today") return today;
  if (text === "yesterday") return midnight(toWallTime(fromWallTime({ ...today, day: today.day - 1 }, zone), zone));
  if (!new RegExp(`^${DATE}$`).test(text) || Number.isNaN(Date.parse(text))) return undefined;
  const [year, month, day] = text.split("-").map(Number) as [number, number, number];
  return { year, month, day, hour: 0, minute: 0, second: 0 };
}

function midnight(wall: WallTime): WallTime {
  return { ...wall, hour: 0, minute: 0, second: 0 };
}

function instantAt(us: number): Instant {
  return { text: iso(us), us };
}
