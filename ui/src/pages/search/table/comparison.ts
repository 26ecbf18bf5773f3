// Tables compared with those of an earlier time: how a change reads, and what of the earlier time was never received.
//
// In: the columns that `diff` makes of a column (`earlier count`, `change count`), the query, the searched range and the time
// of the oldest message. Out: text. The server decides what the pipe means; here it is only read to say what is missing.
import { splitPipes } from "../../../query/pipes.ts";
import { formatFullTime, formatNumber } from "../../../time/format.ts";
import { UNIT_US, type Span } from "../../../time/range.ts";
import type { Zone } from "../../../time/zone.ts";

const MINUS = "\u2212";

/** Returns the column with the earlier values for a column of changes. */
export function earlierColumn(columns: string[], column: number): number | undefined {
  const of = /^change (.+)$/s.exec(columns[column] ?? "")?.[1];
  const found = of === undefined ? -1 : columns.indexOf(`earlier ${of}`);
  return found < 0 ? undefined : found;
}

/** A change with its sign, and what it is of the earlier value: `+12 (+34 %)`, `+890 (new)`, `−5 (gone)`. */
export function changeText(change: number, earlier: number): string {
  if (change === 0) return "0";
  const text = `${change > 0 ? "+" : MINUS}${formatNumber(Math.abs(change))}`;
  if (earlier === 0) return `${text} (new)`;
  if (change === -earlier) return `${text} (gone)`;
  const percent = Math.round((Math.abs(change) / Math.abs(earlier)) * 100);
  return `${text} (${change > 0 ? "+" : MINUS}${percent < 1 ? "<1" : formatNumber(percent)} %)`;
}

/** Says what of the earlier time lies before the oldest message; undefined when nothing does. */
export function missingEarlier(query: string, span: Span, oldestUs: number): "all" | "part" | undefined {
  const found = /\|\s*diff\s+earlier\s*=\s*"?(\d+)([smhdw])\b/i.exec(splitPipes(query).pipes);
  if (!found) return undefined;
  const shift = Number(found[1]) * UNIT_US[found[2]!.toLowerCase()]!;
  if (span.toUs - shift <= oldestUs) return "all";
  return span.fromUs - shift < oldestUs ? "part" : undefined;
}

/** Warns of a comparison with a time from which there are no messages, or not all. */
export function earlierNote(query: string, span: Span, oldestUs: number, zone: Zone): string | undefined {
  const missing = missingEarlier(query, span, oldestUs);
  const since = formatFullTime(oldestUs, zone).replace(/\.\d+$/, "");
  if (missing === "all") return `The oldest message is of ${since}: there is nothing earlier to compare with.`;
  return (
    missing && `The oldest message is of ${since}: a part of the earlier time has no messages, so rises look larger.`
  );
}
