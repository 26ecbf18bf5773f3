// One message as the API returns it, and the text of its columns.
import type { Clock } from "./search.ts";

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

export type Severity = "emerg" | "alert" | "crit" | "err" | "warning" | "notice" | "info" | "debug";

/** Identifies a row: its sequence number; in a filtered or multiple logspace an opaque text. */
export type RowId = number | string;

export interface Row {
  sequence: RowId;
  /** Name of its logspace, in a multiple one. */
  logspace?: string;
  received_us: number;
  event_us: number;
  /** Offset of the sender's zone, seconds east. */
  event_offset_s: number;
  /** The reliability of the sender's time. */
  event_quality: "known" | "zone_guessed" | "year_guessed" | "absent";
  facility: string;
  severity: Severity;
  host: string;
  program: string;
  pid: string;
  msgid: string;
  source: string;
  peer: string;
  message: string;
  tags: string[];
  /** A list when the message repeats the name; any JSON for values that a parser or a template made so. */
  values: Record<string, Json>;
  /** [start, length] pairs in UTF-16 units of `message`. */
  highlights?: [number, number][];
}

/** The columns that every message has, in the order the page shows them. */
export const FIXED_COLUMNS = [
  "severity",
  "facility",
  "host",
  "program",
  "pid",
  "msgid",
  "source",
  "peer",
  "tags",
] as const;

/** The time of a row by one of the clocks. */
export function timeOf(row: Row, clock: Clock): number {
  return clock === "event" ? row.event_us : row.received_us;
}

/** The values of a column: one for each time that the message has it. The index knows each of them by itself. */
export function valuesOf(row: Row, column: string): string[] {
  if (column === "tags") return row.tags;
  if (column === "message") return [row.message];
  const isFixed = (FIXED_COLUMNS as readonly string[]).includes(column);
  const value: Json | undefined = isFixed ? row[column as "host"] : row.values[column];
  const values = Array.isArray(value) ? value : [value ?? ""];
  return values.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one)));
}

/** The text of a column; empty when the message does not have it. */
export function columnOf(row: Row, column: string): string {
  return valuesOf(row, column).join(", ");
}
