// One message as a row of the list.
import { memo } from "preact/compat";
import { columnOf, timeOf, type Row } from "../../../api/row.ts";
import type { Clock } from "../../../api/search.ts";
import { MessageText } from "../../../components/message-text.tsx";
import { VisibleText } from "../../../components/visible-text.tsx";
import { plainText } from "../../../text/hidden.ts";
import { SeverityMark, severityClass } from "../../../components/severity.tsx";
import { formatClockTime, formatDate, formatDay } from "../../../time/format.ts";
import type { Zone } from "../../../time/zone.ts";

interface Props {
  row: Row | undefined;
  index: number;
  top: number;
  columns: string[];
  clock: Clock;
  zone: Zone;
  /** Days are shown with their year. */
  years: boolean;
  wrap: boolean;
  /** Cell of the cursor when it is in this row. */
  cell: number | undefined;
  open: boolean;
  onClick(index: number, cell: number): void;
}

export const MessageRow = memo(function MessageRow({
  row,
  index,
  top,
  columns,
  clock,
  zone,
  years,
  wrap,
  cell,
  open,
  onClick,
}: Props) {
  const position = { transform: `translateY(${top}px)` };
  if (!row) {
    return (
      <div class="row loading" role="row" aria-rowindex={index + 2} aria-busy="true" style={position}>
        <span class="row-placeholder" />
      </div>
    );
  }
  const us = timeOf(row, clock);
  const on = (at: number): string => (cell === at ? "cell on" : "cell");
  const click = (event: MouseEvent): void => {
    // Marking text to copy it is not a click on the row.
    if (getSelection()?.toString()) return;
    const target = (event.target as HTMLElement).closest<HTMLElement>("[data-cell]");
    onClick(index, Number(target?.dataset["cell"] ?? 0));
  };
  return (
    <div
      class={`row ${severityClass(row.severity)} ${cell === undefined ? "" : "current"} ${open ? "open" : ""} ${wrap ? "wrap" : ""}`}
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={open}
      style={position}
      data-index={index}
      data-sequence={row.sequence}
      onClick={click}
    >
      <span class={`${on(0)} time-cell`} role="gridcell" data-cell="0">
        <span class="muted">{years ? formatDate(us, zone) : formatDay(us, zone)}</span> {formatClockTime(us, zone)}
      </span>
      {columns.map((column, at) => (
        <span
          class={on(at + 1)}
          role="gridcell"
          data-cell={at + 1}
          title={wrap ? undefined : plainText(columnOf(row, column))}
        >
          {column === "severity" ? (
            <SeverityMark severity={row.severity} />
          ) : (
            <VisibleText text={columnOf(row, column)} />
          )}
        </span>
      ))}
      <span class={`${on(columns.length + 1)} text`} role="gridcell" data-cell={columns.length + 1}>
        <MessageText text={row.message} highlights={row.highlights} singleLine={!wrap} />
      </span>
    </div>
  );
});
