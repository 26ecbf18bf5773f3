// Lines over time: a colour and a dash for each series.
import { formatAxisTime, formatCompact } from "../../../time/format.ts";
import { zone } from "../../../view/preferences.ts";
import { AlertLines } from "./alert-marks.tsx";
import { axisMarks } from "./chart-data.ts";
import { Plot, type ChartProps } from "./plot.tsx";

const LEFT = 42;
const BOTTOM = 20;
const TOP = 8;
const RIGHT = 10;
const LABEL_PX = 90;

interface LineChartProps extends ChartProps {
  /** Fills the areas below the lines. */
  filled?: boolean;
}

export function LineChart({ filled = false, ...props }: LineChartProps) {
  const { data, onOpen, alerts = [] } = props;
  const times = data.times ?? [];
  const most = Math.max(0, ...data.series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return (
    <Plot
      {...props}
      kind="lines over time"
      draw={({ width, height, current, onCurrent }) => {
        const marks = axisMarks(most, Math.max(1, Math.floor((height - TOP - BOTTOM) / 45)));
        const top = marks.at(-1)!;
        const inner = { width: Math.max(1, width - LEFT - RIGHT), height: Math.max(1, height - TOP - BOTTOM) };
        const x = (index: number): number => LEFT + (times.length < 2 ? 0.5 : index / (times.length - 1)) * inner.width;
        const y = (value: number): number => TOP + inner.height - (value / top) * inner.height;
        const length = Math.max(1, (times.at(-1) ?? 0) - (times[0] ?? 0));
        const timeX = (us: number): number =>
          LEFT + Math.min(1, Math.max(0, (us - (times[0] ?? 0)) / length)) * inner.width;
        const every = Math.max(1, Math.ceil((times.length * LABEL_PX) / inner.width));
        const at = (event: PointerEvent | MouseEvent): { series: number; index: number } => {
          const box = (event.currentTarget as Element).getBoundingClientRect();
          const share = (event.clientX - box.left) / Math.max(1, box.width);
          const index = Math.min(times.length - 1, Math.max(0, Math.round(share * (times.length - 1))));
          const level = event.clientY - box.top + TOP;
          const away = (series: number): number => Math.abs(y(data.series[series]!.values[index] ?? 0) - level);
          const nearest = data.series.map((_, series) => series).sort((a, b) => away(a) - away(b))[0] ?? 0;
          return { series: nearest, index };
        };
        return (
          <>
            {marks.map((mark) => (
              <g>
                <line class="chart-grid" x1={LEFT} x2={width - RIGHT} y1={y(mark)} y2={y(mark)} />
                <text class="chart-text" x={LEFT - 6} y={y(mark) + 4} text-anchor="end">
                  {formatCompact(mark)}
                </text>
              </g>
            ))}
            {times.map((us, index) =>
              index % every === 0 && x(index) < width - 30 ? (
                <text class="chart-text" x={x(index)} y={height - 5} text-anchor={index === 0 ? "start" : "middle"}>
                  {formatAxisTime(us, data.widthUs * every, zone.value)}
                </text>
              ) : null,
            )}
            {data.series.map(({ values }, series) => (
              <g>
                {filled && <path class={`series-area series-${series + 1}`} d={areaOf(values, x, y)} />}
                <path class={`series-line series-${series + 1}`} d={pathOf(values, x, y)} />
                {values.map((value, index) =>
                  // A value between two gaps has no line.
                  value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null ? (
                    <circle class={`series-dot series-${series + 1}`} cx={x(index)} cy={y(value)} r="3" />
                  ) : null,
                )}
              </g>
            ))}
            <AlertLines alerts={alerts} x={timeX} top={TOP} bottom={TOP + inner.height} />
            {current && (
              <g>
                <line
                  class="chart-cursor"
                  x1={x(current.index)}
                  x2={x(current.index)}
                  y1={TOP}
                  y2={TOP + inner.height}
                />
                <circle
                  class={`series-dot series-${current.series + 1}`}
                  cx={x(current.index)}
                  cy={y(data.series[current.series]!.values[current.index] ?? 0)}
                  r="4"
                />
              </g>
            )}
            <rect
              class="chart-target"
              x={LEFT}
              y={TOP}
              width={inner.width}
              height={inner.height}
              onPointerMove={(event) => onCurrent(at(event))}
              onClick={(event) => onOpen(at(event))}
            />
          </>
        );
      }}
    />
  );
}

/** Intervals without a value leave a gap. */
function pathOf(values: (number | null)[], x: (index: number) => number, y: (value: number) => number): string {
  let path = "";
  let open = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      open = false;
      continue;
    }
    path += `${open ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    open = true;
  }
  return path;
}

/** The areas between the line and zero. */
function areaOf(values: (number | null)[], x: (index: number) => number, y: (value: number) => number): string {
  let path = "";
  let last: number | undefined;
  const close = (): void => {
    if (last !== undefined) path += `L${x(last).toFixed(1)} ${y(0).toFixed(1)}Z`;
    last = undefined;
  };
  for (const [index, value] of values.entries()) {
    if (value === null) {
      close();
      continue;
    }
    if (last === undefined) path += `M${x(index).toFixed(1)} ${y(0).toFixed(1)}`;
    path += `L${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    last = index;
  }
  close();
  return path;
}
