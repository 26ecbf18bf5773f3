// The time zone that times are shown and typed in: the browser's or UTC.
//
// Converts microseconds since 1970 to a wall clock's reading, and back. Holds: nothing.

export type Zone = "local" | "utc";

/** A wall clock reading. `month` counts from 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

export function toWallTime(us: number, zone: Zone): WallTime {
  const date = new Date(us / 1000);
  if (zone === "utc") {
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
    };
  }
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
}

export function fromWallTime(wall: WallTime, zone: Zone): number {
  const { year, month, day, hour, minute, second } = wall;
  const ms =
    zone === "utc"
      ? Date.UTC(year, month - 1, day, hour, minute, second)
      : new Date(year, month - 1, day, hour, minute, second).getTime();
  return ms * 1000;
}

/** "UTC", or "Europe/Berlin, UTC+1". */
export function zoneName(zone: Zone, us: number): string {
  if (zone === "utc") return "UTC";
  const place = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = zoneOffset(us);
  return place === "UTC" || place === "Etc/UTC" ? "UTC" : `${place}, ${offset}`;
}

/** The offset of the browser's zone at an instant: "UTC", "UTC+1", "UTC+5:30". */
export function zoneOffset(us: number): string {
  return offsetText(-new Date(us / 1000).getTimezoneOffset() * 60);
}

/** The offsets of a range, "UTC+1", or both when the clocks change in it: "UTC+1/+2". */
export function zoneOffsets(fromUs: number, toUs: number): string {
  const [from, to] = [zoneOffset(fromUs), zoneOffset(toUs)];
  return from === to ? from : `${from}/${to.replace("UTC", "") || "+0"}`;
}

/** The offset of an instant as ISO 8601 has it: "Z", "+01:00". */
export function isoOffset(us: number, zone: Zone): string {
  const minutes = zone === "utc" ? 0 : -new Date(us / 1000).getTimezoneOffset();
  if (minutes === 0) return "Z";
  const two = (value: number): string => String(value).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

export function offsetText(seconds: number): string {
  if (seconds === 0) return "UTC";
  const minutes = Math.abs(Math.round(seconds / 60));
  const rest = minutes % 60;
  return `UTC${seconds < 0 ? "-" : "+"}${Math.floor(minutes / 60)}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`;
}
