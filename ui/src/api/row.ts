// One message as the API shows it, and how its columns are read.

export type Severity = "emerg" | "alert" | "crit" | "err" | "warning" | "notice" | "info" | "debug";

export interface Row {
  sequence: number;
  received_us: number;
  event_us: number | null;
  /** Offset of the sender's zone from UTC, when it said one. */
  event_offset_s: number | null;
  event_quality: string;
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
  values: Record<string, string>;
  /** [start, length] pairs in UTF-16 units of `message`. */
  highlights?: [number, number][];
}

/** The columns that every message has, in the order the page shows them. */
export const FIXED_COLUMNS = [
  "severity", "facility", "host", "program", "pid", "msgid", "source", "peer", "tags",
] as const;

/** The text of a column; empty when the message does not have it. */
export function columnOf(row: Row, column: string): string {
  if (column === "tags") return row.tags.join(", ");
  if (column === "message") return row.message;
  if ((FIXED_COLUMNS as readonly string[]).includes(column)) return String(row[column as "host"] ?? "");
  return row.values[column] ?? "";
}
