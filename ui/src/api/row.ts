// One message as the API returns it, and the text of its columns.
import type { Clock } from "./search.ts";

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
  values: Record<string, string | number | boolean | null>;
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

/** The text of a column; empty when the message does not have it. */
export function columnOf(row: Row, column: string): string {
  if (column === "tags") return row.tags.join(", ");
  if (column === "message") return row.message;
  if ((FIXED_COLUMNS as readonly string[]).includes(column)) return String(row[column as "host"] ?? "");
  return String(row.values[column] ?? "");
}
