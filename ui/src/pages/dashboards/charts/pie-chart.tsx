// A pie of at most six slices, with their names and shares beside it.
import { VisibleText } from "../../../components/visible-text.tsx";
import { formatNumber, formatPercent } from "../../../time/format.ts";
import { OTHER, SERIES_MAX, type ChartData } from "./chart-data.ts";
import { Plot, type ChartProps } from "./plot.tsx";

interface Props extends ChartProps {
  onFilter(index: number): void;
}

/** Returns the figures with at most six points; the rest are added up, exactly. */
export function sliced(data: ChartData): ChartData {
  const values = data.series[0]?.values ?? [];
  if (values.length <= SERIES_MAX) return data;
  const kept = SERIES_MAX - 1;
  const rest = values.slice(kept).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return {
    ...data,
    labels: [...data.labels.slice(0, kept), `${OTHER} (${values.length - kept})`],
    keys: [...data.keys.slice(0, kept), []],
    series: [{ ...data.series[0]!, values: [...values.slice(0, kept), rest] }],
  };
}

export function PieChart(props: Props) {
  const data = sliced(props.data);
  const values = (data.series[0]?.values ?? []).map((value) => Math.max(0, value ?? 0));
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <div class="pie">
      <Plot
        {...props}
        data={data}
        kind="pie"
        draw={({ width, height, current, onCurrent }) => {
          const radius = Math.max(4, Math.min(width, height) / 2 - 4);
          let from = 0;
          return (
            <g transform={`translate(${width / 2} ${height / 2})`}>
              {values.map((value, index) => {
                const start = from;
                from += total > 0 ? value / total : 0;
                if (value <= 0) return null;
                return (
                  <path
                    class={`series-fill slice series-${index + 1} ${current?.index === index ? "current" : ""}`}
                    d={slice(start, from, radius)}
                    onPointerMove={() => onCurrent({ series: 0, index })}
                    onClick={() => props.onOpen({ series: 0, index })}
                  />
                );
              })}
            </g>
          );
        }}
      />
      <ol class="pie-legend">
        {data.labels.map((label, index) => (
          <li>
            <svg width="12" height="12" aria-hidden="true">
              <rect class={`series-fill series-${index + 1}`} width="12" height="12" rx="2" />
            </svg>
            {data.keys[index]!.length > 0 ? (
              <button
                type="button"
                class="link-button ellipsis"
                title={`Only ${label}`}
                onClick={() => props.onFilter(index)}
              >
                <VisibleText text={label || "(empty)"} />
              </button>
            ) : (
              <span class="ellipsis">{label}</span>
            )}
            <span class="board-count">
              {formatNumber(values[index] ?? 0)} <span class="muted">{formatPercent(values[index] ?? 0, total)}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The path of a slice between two shares of the circle; a whole circle is two halves. */
function slice(from: number, to: number, radius: number): string {
  const at = (share: number): string => {
    const angle = 2 * Math.PI * share - Math.PI / 2;
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  };
  const arc = `A${radius} ${radius} 0`;
  if (to - from > 0.9999) return `M${at(0)}${arc} 1 1 ${at(0.5)}${arc} 1 1 ${at(1)}Z`;
  return `M0 0L${at(from)}${arc} ${to - from > 0.5 ? 1 : 0} 1 ${at(to)}Z`;
}
