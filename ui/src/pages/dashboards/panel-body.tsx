// What a panel shows: a number, a chart, a table, messages.
import type { FieldValue, Panel, PanelAnswer } from "../../api/dashboards.ts";
import type { Alert } from "../../api/alerts.ts";
import { columnOf } from "../../api/row.ts";
import type { Clock } from "../../api/search.ts";
import { MessageText } from "../../components/message-text.tsx";
import { SeverityMark } from "../../components/severity.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { formatFullTime, formatNumber, formatPercent, formatShortTime } from "../../time/format.ts";
import type { View } from "../../view/view.ts";
import { zone } from "../../view/preferences.ts";
import { cellSearch } from "./cell-search.ts";
import { AlertLinks } from "./charts/alert-marks.tsx";
import { alertsIn } from "./charts/alerts-in.ts";
import { TimeBars, ValueBars } from "./charts/bar-chart.tsx";
import { chartOf, numberIn, type ChartData } from "./charts/chart-data.ts";
import { ChartTable } from "./charts/chart-table.tsx";
import { HeatChart } from "./charts/heat-chart.tsx";
import { LineChart } from "./charts/line-chart.tsx";
import { PieChart } from "./charts/pie-chart.tsx";
import { Legend, type Point } from "./charts/plot.tsx";

interface Props {
  panel: Panel;
  shown: PanelAnswer;
  clock: Clock;
  asTable: boolean;
  /** Alerts that may be marked. */
  alerts: Alert[];
  onSearch(view: View): void;
  onFilter(filters: FieldValue[]): void;
}

export function PanelBody(props: Props) {
  const { panel, shown } = props;
  const answer = shown.answer!;
  if (panel.kind === "number") return <NumberPanel {...props} />;
  if (panel.kind === "messages") return <MessagesPanel {...props} />;
  if (panel.kind === "table") return <TablePanel {...props} />;
  const data = chartOf(answer);
  if (!data) return <p class="panel-empty muted">Nothing in this time range</p>;
  return <Chart {...props} data={data} />;
}

function Chart({ panel, shown, clock, asTable, alerts, data, onSearch, onFilter }: Props & { data: ChartData }) {
  const title = panel.title;
  if (panel.kind === "heat") return <HeatChart title={title} data={data} />;
  if (asTable) return <ChartTable title={title} data={data} hidden={false} />;
  const open = (point: Point): void => onSearch(cellSearch(shown, clock, data, point));
  const filterPoint = (index: number): void => onFilter(data.keys[index] ?? []);
  const isTimed = data.times !== undefined;
  const { from_us: fromUs, to_us: toUs } = shown.answer!;
  // Rules follow the clock of reception.
  const isMarked = isTimed && clock === "received";
  const marked = isMarked ? alertsIn(alerts, shown.logspace, { fromUs, toUs }) : [];
  const props = { title, data, alerts: marked, onOpen: open };
  return (
    <>
      {panel.kind === "line" && <LineChart {...props} />}
      {panel.kind === "pie" && <PieChart {...props} onFilter={filterPoint} />}
      {panel.kind === "bar" && (isTimed ? <TimeBars {...props} /> : <ValueBars {...props} onFilter={filterPoint} />)}
      <AlertLinks alerts={marked} />
      {isTimed && (
        <Legend
          data={data}
          {...(data.by !== undefined && { onFilter: (value) => onFilter([{ field: data.by!, value }]) })}
        />
      )}
      {(panel.kind !== "bar" || isTimed) && <ChartTable title={title} data={data} hidden />}
    </>
  );
}

/** A time as pipes write it. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

function NumberPanel({ panel, shown }: Props) {
  const value = numberIn(shown.answer);
  const before = numberIn(shown.previous);
  if (value === undefined) return <p class="panel-empty muted">No value in this time range</p>;
  return (
    <div class="panel-number">
      <p>
        <b>{formatNumber(value)}</b>
        {panel.options.unit && <span class="muted"> {panel.options.unit}</span>}
      </p>
      {before !== undefined && (
        <p class="muted">
          {changeText(value, before)}
          {value !== before && <span class="nowrap"> ({formatNumber(before)} before)</span>}
        </p>
      )}
    </div>
  );
}

function changeText(value: number, before: number): string {
  if (value === before) return "as before";
  const sign = value > before ? "\u25b2 +" : "\u25bc \u2212";
  const size = formatNumber(Math.abs(value - before));
  return before > 0
    ? `${sign}${size}, ${sign.slice(-1)}${formatPercent(Math.abs(value - before), before)}`
    : `${sign}${size}`;
}

function TablePanel({ panel, shown, onFilter }: Props) {
  const whole = shown.answer!.table!;
  // Lists of numbers, such as the course of patterns, are no text to read.
  const kept = whole.columns.map((_, column) => !whole.rows.some((row) => Array.isArray(row[column])));
  const only = <T,>(cells: T[]): T[] => cells.filter((_, column) => kept[column]);
  const table = { ...whole, columns: only(whole.columns), rows: whole.rows.map(only) };
  if (table.rows.length === 0) return <p class="panel-empty muted">Nothing in this time range</p>;
  return (
    <div class="panel-scroll" tabIndex={0} role="region" aria-label={panel.title || "Table"}>
      <table class="panel-table">
        <thead>
          <tr>
            {table.columns.map((name) => (
              <th scope="col">
                <VisibleText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr>
              {row.map((cell, column) => {
                if (typeof cell === "number") return <td class="number">{formatNumber(cell)}</td>;
                if (cell === null) return <td />;
                if (typeof cell === "string" && TIME.test(cell))
                  return <td class="nowrap">{formatShortTime(Date.parse(cell) * 1000, zone.value)}</td>;
                const text = typeof cell === "object" ? JSON.stringify(cell) : String(cell);
                const field = table.columns[column]!;
                const isField =
                  typeof cell === "string" &&
                  field !== "pattern" &&
                  !field.includes("(") &&
                  !field.startsWith("@") &&
                  field !== "time";
                return (
                  <td>
                    {isField ? (
                      <button
                        type="button"
                        class="link-button"
                        title="Filter all panels by this value"
                        onClick={() => onFilter([{ field, value: text }])}
                      >
                        <VisibleText text={text || "(empty)"} />
                      </button>
                    ) : (
                      <VisibleText text={text} />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {table.more && <p class="muted panel-more">There are more rows: open the panel in Search.</p>}
    </div>
  );
}

function MessagesPanel({ panel, shown, clock, onFilter }: Props) {
  const rows = shown.answer!.rows;
  const columns = panel.options.columns?.length ? panel.options.columns : ["severity", "host", "program"];
  if (rows.length === 0) return <p class="panel-empty muted">Nothing in this time range</p>;
  return (
    <div class="panel-scroll" tabIndex={0} role="region" aria-label={panel.title || "Messages"}>
      <table class="panel-table messages">
        <thead>
          <tr>
            <th scope="col">{clock}</th>
            {columns.map((name) => (
              <th scope="col">
                <VisibleText text={name} />
              </th>
            ))}
            <th scope="col">message</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <td class="nowrap mono">
                {formatFullTime(
                  clock === "event" ? (row.event_us ?? row.received_us) : row.received_us,
                  zone.value,
                ).slice(0, 19)}
              </td>
              {columns.map((name) => {
                const value = columnOf(row, name);
                if (name === "severity" && value)
                  return (
                    <td class="nowrap">
                      <SeverityMark severity={value} />
                    </td>
                  );
                return (
                  <td class="nowrap">
                    {value && (
                      <button
                        type="button"
                        class="link-button"
                        title="Filter all panels by this value"
                        onClick={() => onFilter([{ field: name, value }])}
                      >
                        <VisibleText text={value} />
                      </button>
                    )}
                  </td>
                );
              })}
              <td class="mono message">
                <MessageText text={row.message} highlights={[]} singleLine />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
