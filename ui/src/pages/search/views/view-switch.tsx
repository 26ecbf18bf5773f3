// The views of the result as buttons, and what can be chosen in each: the form of a chart, the time of a comparison.
import type { ComponentChildren } from "preact";
import type { ChartKind } from "../../../view/view.ts";
import { comparedWith, type ViewName } from "./views.ts";

const VIEWS: [ViewName, string, string][] = [
  ["messages", "Messages", "The messages, the newest first"],
  ["chart", "Chart", "A drawing of the table that pipes make; counts over time without pipes"],
  ["table", "Table", "The table that pipes make; the most frequent hosts without pipes"],
  ["patterns", "Patterns", "The texts that messages have in common"],
  ["compare", "Compare", "Beside those of an earlier time"],
];
const CHARTS: Record<ChartKind, string> = {
  line: "Lines",
  bar: "Bars",
  area: "Areas",
  pie: "Pie",
  number: "Number",
  heat: "Hours of the week",
};

interface Props {
  view: ViewName;
  query: string;
  chart: ChartKind | undefined;
  /** The forms that fit the table. */
  charts: ChartKind[];
  /** The length of the range, as a duration. */
  length: string;
  onView(view: ViewName): void;
  onChart(kind: ChartKind): void;
  onEarlier(earlier: string): void;
  children: ComponentChildren;
}

export function ViewSwitch({ view, query, chart, charts, length, onView, onChart, onEarlier, children }: Props) {
  const earlier = comparedWith(query);
  const periods = [...new Set([length, "1d", "1w", ...(earlier ? [earlier] : [])])];
  return (
    <div class="views">
      <div class="segmented" role="group" aria-label="View">
        {VIEWS.map(([name, text, title]) => (
          <button
            type="button"
            key={name}
            class={view === name ? "on" : ""}
            aria-pressed={view === name}
            title={title}
            onClick={() => view !== name && onView(name)}
          >
            {text}
          </button>
        ))}
      </div>
      {view === "chart" && charts.length > 0 && (
        <select
          aria-label="Form of the chart"
          value={chart}
          onChange={(event) => onChart(event.currentTarget.value as ChartKind)}
        >
          {charts.map((kind) => (
            <option key={kind} value={kind}>
              {CHARTS[kind]}
            </option>
          ))}
        </select>
      )}
      {view === "compare" && (
        <select aria-label="Compared with" value={earlier} onChange={(event) => onEarlier(event.currentTarget.value)}>
          {periods.map((period) => (
            <option key={period} value={period}>
              {period === length ? `${period} earlier: the time before` : `${period} earlier`}
            </option>
          ))}
        </select>
      )}
      <span class="spacer" />
      {children}
    </div>
  );
}
