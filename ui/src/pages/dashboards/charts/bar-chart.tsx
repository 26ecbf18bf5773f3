// Bars: columns over time, stacked by series, or one bar a value with its name.
import { VisibleText } from "../../../components/visible-text.tsx";
import { formatAxisTime, formatCompact, formatNumber } from "../../../time/format.ts";
import { zone } from "../../../view/preferences.ts";
import { AlertLines } from "./alert-marks.tsx";
import { axisMarks } from "./chart-data.ts";
import { Plot, type ChartProps } from "./plot.tsx";

const LEFT = 42;
const BOTTOM = 20;
const TOP = 8;
const LABEL_PX = 90;
/** Space between two fills. */
const GAP = 2;

export function TimeBars(props: ChartProps) {
  const { data, onOpen, alerts = [] } = props;
  const times = data.times ?? [];
  const sums = times.map((_, index) => data.series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  return (
    <Plot
      {...props}
      kind="bars over time"
      draw={({ width, height, current, onCurrent }) => {
        const marks = axisMarks(Math.max(0, ...sums), Math.max(1, Math.floor((height - TOP - BOTTOM) / 45)));
        const inner = { width: Math.max(1, width - LEFT), height: Math.max(1, height - TOP - BOTTOM) };
        const scale = inner.height / marks.at(-1)!;
        const step = inner.width / Math.max(1, times.length);
        const every = Math.max(1, Math.ceil(LABEL_PX / step));
        const timeX = (us: number): number =>
          LEFT + Math.min(inner.width, Math.max(0, ((us - (times[0] ?? 0)) / Math.max(1, data.widthUs)) * step));
        return (
          <>
            {marks.map((mark) => (
              <g>
                <line
                  class="chart-grid"
                  x1={LEFT}
                  x2={width}
                  y1={TOP + inner.height - mark * scale}
                  y2={TOP + inner.height - mark * scale}
                />
                <text class="chart-text" x={LEFT - 6} y={TOP + inner.height - mark * scale + 4} text-anchor="end">
                  {formatCompact(mark)}
                </text>
              </g>
            ))}
            {times.map((us, index) => {
              let base = TOP + inner.height;
              return (
                <g>
                  {data.series.map(({ values }, series) => {
                    const tall = (values[index] ?? 0) * scale;
                    base -= tall;
                    if (tall <= 0) return null;
                    const isCurrent = current?.index === index && current.series === series;
                    return (
                      <rect
                        class={`series-fill series-${series + 1} ${isCurrent ? "current" : ""}`}
                        x={LEFT + index * step + Math.min(GAP, step / 4) / 2}
                        y={base}
                        width={Math.max(0.5, step - Math.min(GAP, step / 4))}
                        height={tall}
                        onPointerMove={() => onCurrent({ series, index })}
                        onClick={() => onOpen({ series, index })}
                      />
                    );
                  })}
                  {index % every === 0 && LEFT + index * step < width - 30 && (
                    <text class="chart-text" x={LEFT + index * step} y={height - 5}>
                      {formatAxisTime(us, data.widthUs * every, zone.value)}
                    </text>
                  )}
                </g>
              );
            })}
            <AlertLines alerts={alerts} x={timeX} top={TOP} bottom={TOP + inner.height} />
          </>
        );
      }}
    />
  );
}

interface ValueBarsProps extends ChartProps {
  onFilter(index: number): void;
}

/** One bar a value: its name filters, the bar opens its messages. */
export function ValueBars({ title, data, onOpen, onFilter }: ValueBarsProps) {
  const values = data.series[0]?.values ?? [];
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  return (
    <ol class="board-bars" aria-label={title || "Bars"}>
      {data.labels.map((label, index) => {
        const value = values[index] ?? 0;
        return (
          <li>
            <button
              type="button"
              class="link-button ellipsis"
              title={`Only ${label || "(empty)"}`}
              onClick={() => onFilter(index)}
            >
              <VisibleText text={label || "(empty)"} />
            </button>
            <button
              type="button"
              class="board-bar"
              title={`Messages of ${label || "(empty)"}`}
              aria-label={`${formatNumber(value)} messages of ${label || "(empty)"}`}
              onClick={() => onOpen({ series: 0, index })}
            >
              <svg width="100%" height="14" aria-hidden="true">
                <rect
                  class="series-fill series-1"
                  width={`${Math.max(0.5, (100 * Math.max(0, value)) / most)}%`}
                  height="14"
                  rx="2"
                />
              </svg>
            </button>
            <span class="board-count">{formatNumber(value)}</span>
          </li>
        );
      })}
    </ol>
  );
}
