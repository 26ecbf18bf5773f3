// Typed text -> a time range.
//
// In: "last 2h", "yesterday 14:00-14:20", an ISO time, two of them, seconds since 1970, "now-1h to now", "all".
// Out: a Range, or undefined when it cannot be read. Wall clock times are read in the zone that the page shows.
import { isInstant, isRelative, fromUs as iso, toUs, type Range } from "./range.ts";
import { usOf, wallOf, type Wall, type Zone } from "./zone.ts";

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
  return lastOf(low) ?? between(text, nowUs, zone) ?? wholeDay(low, nowUs, zone) ?? moment(text, nowUs, zone);
}

/** "last 2h", "2 hours", "past week", "90m ago" */
function lastOf(text: string): Range | undefined {
  const found = /^(?:last |past |-)?(\d{1,6})? ?([a-z]+)(?: ago)?$/.exec(text);
  const unit = found && UNITS[found[2]!];
  if (!found || !unit) return undefined;
  const count = found[1] ?? "1";
  if (!found[1] && !/^(last|past) /.test(text)) return undefined;
  return { from: `now-${Number(count)}${unit}`, to: "now" };
}

/** Two moments joined by "to", "until", "..", a dash or a slash. The second may leave out its day. */
function between(text: string, nowUs: number, zone: Zone): Range | undefined {
  const joined =
    /^(?:from )?(.+?)(?: to | until | - | ?\u2013 ?|\.\.| ?\/ ?)(.+)$/i.exec(text) ??
    new RegExp(`^(.*${TIME})-(${TIME})$`).exec(text);
  if (!joined) return undefined;
  const first = instantOf(joined[1]!, nowUs, zone);
  const second = instantOf(joined[2]!, nowUs, zone, first?.us);
  if (!first || !second) return undefined;
  if (first.us === undefined || second.us === undefined || first.us <= second.us)
    return { from: first.text, to: second.text };
  return { from: second.text, to: first.text };
}

/** "today", "yesterday", "2026-11-21": from midnight to midnight. */
function wholeDay(text: string, nowUs: number, zone: Zone): Range | undefined {
  const start = dayOf(text, nowUs, zone);
  if (!start) return undefined;
  const end = { ...start, day: start.day + 1 };
  return { from: iso(usOf(start, zone)), to: text === "today" ? "now" : iso(usOf(end, zone)) };
}

/** One moment: from it until now when it is relative or after "since", else the minutes around it. */
function moment(text: string, nowUs: number, zone: Zone): Range | undefined {
  const since = /^since (.+)$/i.exec(text);
  const found = instantOf(since?.[1] ?? text, nowUs, zone);
  if (!found || found.us === undefined) return undefined;
  if (since || isRelative(found.text)) return { from: found.text, to: "now" };
  return { from: iso(found.us - AROUND_US), to: iso(found.us + AROUND_US) };
}

interface Instant {
  text: string;
  us: number | undefined;
}

function instantOf(typed: string, nowUs: number, zone: Zone, dayUs?: number): Instant | undefined {
  const text = typed.trim();
  if (isRelative(text.toLowerCase())) return { text: text.toLowerCase(), us: toUs(text.toLowerCase(), nowUs) };
  if (/^\d{12,14}$/.test(text)) return known(Number(text) * 1_000);
  if (/^\d{15,17}$/.test(text)) return known(Number(text));
  const withZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) && text.includes(":");
  const isoText = text
    .replace(/^(\d{4}-\d{2}-\d{2}) /, "$1T")
    .replace(/z$/, "Z")
    .replace(/,(\d)/, ".$1");
  if ((withZone || /^\d{9,11}(\.\d+)?$/.test(text)) && isInstant(isoText)) return known(toUs(isoText, nowUs)!);
  return wallInstant(isoText.replace("T", " "), nowUs, zone, dayUs);
}

function wallInstant(text: string, nowUs: number, zone: Zone, dayUs?: number): Instant | undefined {
  const found = new RegExp(`^(?:(${DATE}|today|yesterday) ?)?(?:(${TIME})(\\.\\d{1,9})?)?$`, "i").exec(text);
  if (!found || !(found[1] || found[2])) return undefined;
  const start = found[1] ? dayOf(found[1].toLowerCase(), nowUs, zone) : midnight(wallOf(dayUs ?? nowUs, zone));
  if (!start) return undefined;
  const [hour = 0, minute = 0, second = 0] = (found[2] ?? "0:0").split(":").map(Number);
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  const fraction = Math.round(Number(`0${found[3] ?? ""}`) * 1_000_000);
  return known(usOf({ ...start, hour, minute, second }, zone) + fraction);
}

function dayOf(text: string, nowUs: number, zone: Zone): Wall | undefined {
  const today = midnight(wallOf(nowUs, zone));
  if (text === "today") return today;
  if (text === "yesterday") return midnight(wallOf(usOf({ ...today, day: today.day - 1 }, zone), zone));
  if (!new RegExp(`^${DATE}$`).test(text) || Number.isNaN(Date.parse(text))) return undefined;
  const [year, month, day] = text.split("-").map(Number) as [number, number, number];
  return { year, month, day, hour: 0, minute: 0, second: 0 };
}

function midnight(wall: Wall): Wall {
  return { ...wall, hour: 0, minute: 0, second: 0 };
}

function known(us: number): Instant {
  return { text: iso(us), us };
}
