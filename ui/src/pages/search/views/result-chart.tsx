// The table of an answer, drawn: lines, bars, areas, a pie, a number, hours of the week. A click on a mark shows its messages.
import { useMemo } from "preact/hooks";
import type { SearchAnswer } from "../../../api/search.ts";
import { formatNumber } from "../../../time/format.ts";
import type { ChartKind } from "../../../view/view.ts";
import { TimeBars, ValueBars } from "../../dashboards/charts/bar-chart.tsx";
import { chartOf, numberIn, type ChartData } from "../../dashboards/charts/chart-data.ts";
import { ChartTable } from "../../dashboards/charts/chart-table.tsx";
import { HeatChart } from "../../dashboards/charts/heat-chart.tsx";
import { LineChart } from "../../dashboards/charts/line-chart.tsx";
import { PieChart } from "../../dashboards/charts/pie-chart.tsx";
import { Legend, type Point } from "../../dashboards/charts/plot.tsx";

const HOUR_US = 3.6e9;
const CHANGE = /^change /;

/** Returns the forms that fit the table of an answer, the usual one first. */
export function chartsFor(answer: SearchAnswer | undefined): ChartKind[] {
  if (!answer?.table) return [];
  const data = chartOf(answer);
  if (data?.times) return ["line", "bar", "area", ...(data.widthUs <= HOUR_US ? (["heat"] as const) : [])];
  if (data) return ["bar", "pie"];
  return numberIn(answer) === undefined ? [] : ["number"];
}

/** Returns the form in which a table is drawn: the chosen one if it fits. */
export function chartFor(answer: SearchAnswer, chosen: ChartKind | undefined): ChartKind {
  const fitting = chartsFor(answer);
  return fitting.find((kind) => kind === chosen) ?? fitting[0] ?? "line";
}

/** Returns the figures of a comparison over time without the changes, which can be read from both lines. */
export function comparedChart(answer: SearchAnswer): ChartData | undefined {
  const data = chartOf(answer);
  if (!data?.times || data.by !== undefined) return undefined;
  return { ...data, series: data.series.filter(({ name }) => !CHANGE.test(name)) };
}

interface Props {
  answer: SearchAnswer;
  kind: ChartKind;
  title: string;
  onOpen(data: ChartData, point: Point): void;
  /** Searches for the values of a point. */
  onFilter(data: ChartData, index: number): void;
}

export function ResultChart({ answer, kind, title, onOpen, onFilter }: Props) {
  const data = useMemo(() => chartOf(answer), [answer]);
  const number = numberIn(answer);
  if (kind === "number")
    return (
      <figure class="result-chart number" aria-label={title}>
        <p class="panel-number">
          <b>{number === undefined ? "\u2013" : formatNumber(number)}</b>
        </p>
      </figure>
    );
  if (!data) return <p class="table-note">The table is empty.</p>;
  return <DrawnChart data={data} kind={kind} title={title} onOpen={onOpen} onFilter={onFilter} />;
}

export function DrawnChart({ data, kind, title, onOpen, onFilter }: Omit<Props, "answer"> & { data: ChartData }) {
  const props = { title, data, onOpen: (point: Point) => onOpen(data, point) };
  const filter = (index: number): void => onFilter(data, index);
  const isTimed = data.times !== undefined;
  return (
    <figure class={`result-chart ${isTimed ? "" : "values"}`} aria-label={title}>
      {(kind === "line" || kind === "area") && <LineChart {...props} filled={kind === "area"} />}
      {kind === "bar" && (isTimed ? <TimeBars {...props} /> : <ValueBars {...props} onFilter={filter} />)}
      {kind === "pie" && <PieChart {...props} onFilter={filter} />}
      {kind === "heat" && <HeatChart title={title} data={data} />}
      {isTimed && kind !== "heat" && <Legend data={data} />}
      {kind !== "heat" && (kind !== "bar" || isTimed) && <ChartTable title={title} data={data} hidden />}
    </figure>
  );
}
