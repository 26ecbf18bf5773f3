// The table that a query's pipes made. Its columns can be sorted, and a click on a value shows the messages behind it.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Cell, Table } from "../../../api/search.ts";
import { VisibleText } from "../../../components/visible-text.tsx";
import { Icon } from "../../../components/icon.tsx";
import { formatCount, formatFullTime, formatNumber, formatShortTime } from "../../../time/format.ts";
import type { Span } from "../../../time/range.ts";
import type { Zone } from "../../../time/zone.ts";
import { changeText, earlierColumn } from "./comparison.ts";
import { TableChart } from "./table-chart.tsx";
import { isNumeric, microseconds, seriesOf } from "./table.ts";

interface Props {
  table: Table;
  /** The range that was searched. */
  span: Span | undefined;
  onZoom(span: Span): void;
  zone: Zone;
  dark: boolean;
  /** Returns true if there are messages behind a value. */
  isDoor(column: string, value: Cell): boolean;
  /** A drawing instead of the lines of all columns. */
  drawn: ComponentChildren;
  /** What has to be known to read the table. */
  note: string | undefined;
  /** Shows the messages with a value. */
  onMessages(column: string, value: string): void;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export function TableView({ table, span, onZoom, zone, dark, isDoor, drawn, note, onMessages }: Props) {
  const [order, setOrder] = useState<{ column: number; down: boolean }>();
  const numeric = useMemo(() => table.columns.map((_, column) => isNumeric(table, column)), [table]);
  const earlier = useMemo(() => table.columns.map((_, column) => earlierColumn(table.columns, column)), [table]);
  const series = useMemo(() => seriesOf(table), [table]);
  const rows = useMemo(() => sorted(table.rows, order), [table, order]);
  const next = (column: number): void =>
    setOrder(order?.column === column && !order.down ? undefined : { column, down: order?.column !== column });
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Table">
      {drawn}
      {!drawn && series && <TableChart series={series} span={span} zone={zone} dark={dark} onZoom={onZoom} />}
      {note && <p class="table-note table-warning">{note}</p>}
      <table class="result-table">
        <thead>
          <tr>
            {table.columns.map((name, column) => (
              <th
                key={name}
                scope="col"
                class={numeric[column] ? "number" : ""}
                aria-sort={order?.column === column ? (order.down ? "descending" : "ascending") : "none"}
              >
                <button type="button" title={`Sort by ${name}`} onClick={() => next(column)}>
                  {name}
                  {order?.column === column && <Icon name={order.down ? "down" : "up"} size={12} />}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={numeric[column] ? "number" : ""}>
                  {typeof cell === "string" && isDoor(table.columns[column]!, cell) ? (
                    <button
                      type="button"
                      class="link-button"
                      title={`Show the messages with this ${table.columns[column]}`}
                      onClick={() => onMessages(table.columns[column]!, cell)}
                    >
                      {ISO_TIME.test(cell) ? <Time text={cell} zone={zone} /> : <VisibleText text={cell} />}
                    </button>
                  ) : (
                    <Value cell={cell} earlier={valueAt(row, earlier[column])} zone={zone} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length === 0 && <p class="table-note">The table is empty.</p>}
      {table.more && (
        <p class="table-note">The first {formatCount(table.rows.length)} rows; an export (Share) holds all of them.</p>
      )}
    </div>
  );
}

function valueAt(row: Cell[], column: number | undefined): number | undefined {
  const cell = column === undefined ? undefined : row[column];
  return typeof cell === "number" ? cell : undefined;
}

function Value({ cell, earlier, zone }: { cell: Cell; earlier: number | undefined; zone: Zone }) {
  if (cell === null) return <span class="absent">{"\u2013"}</span>;
  if (Array.isArray(cell) && cell.every((point) => typeof point === "number")) return <Sparkline points={cell} />;
  if (typeof cell === "number" && earlier !== undefined)
    return <span class={cell > 0 ? "rise" : cell < 0 ? "fall" : ""}>{changeText(cell, earlier)}</span>;
  if (typeof cell === "number") return <>{formatNumber(cell)}</>;
  if (typeof cell === "string" && ISO_TIME.test(cell)) return <Time text={cell} zone={zone} />;
  return <VisibleText text={typeof cell === "string" ? cell : JSON.stringify(cell)} />;
}

/** A time with its fraction of a second, if it has one. */
function Time({ text, zone }: { text: string; zone: Zone }) {
  const us = microseconds(text);
  const shown = us % 1_000_000 === 0 ? formatShortTime(us, zone) : formatFullTime(us, zone);
  return <time dateTime={text}>{shown}</time>;
}

/** Numbers over time, drawn as small bars. */
function Sparkline({ points }: { points: number[] }) {
  const most = Math.max(1, ...points);
  return (
    <svg class="sparkline" viewBox={`0 0 ${points.length * 4} 16`} role="img" aria-label={points.join(", ")}>
      {points.map((point, index) => {
        const height = point === 0 ? 0 : Math.max(1, (point / most) * 16);
        return <rect key={index} x={index * 4} y={16 - height} width="3" height={height} />;
      })}
    </svg>
  );
}

function sorted(rows: Cell[][], order: { column: number; down: boolean } | undefined): Cell[][] {
  if (!order) return rows;
  const { column, down } = order;
  return [...rows].sort((left, right) => {
    const [a, b] = [left[column], right[column]];
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    const comparison =
      typeof a === "number" && typeof b === "number"
        ? a - b
        : String(a).localeCompare(String(b), "en", { numeric: true });
    return down ? -comparison : comparison;
  });
}
