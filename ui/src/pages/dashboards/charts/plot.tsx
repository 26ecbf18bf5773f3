// A chart in a frame that measures it, walks its points with the arrow keys, and says the current one.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { VisibleText } from "../../../components/visible-text.tsx";
import { zone } from "../../../view/preferences.ts";
import type { Alert } from "../../../api/alerts.ts";
import type { ChartData } from "./chart-data.ts";
import { describe, pointText } from "./describe.ts";
import { useSize } from "./use-size.ts";

export interface Point {
  series: number;
  index: number;
}

export interface ChartProps {
  title: string;
  data: ChartData;
  /** Alerts that are marked on a chart over time. */
  alerts?: Alert[];
  onOpen(point: Point): void;
}

interface DrawProps {
  width: number;
  height: number;
  current: Point | undefined;
  onCurrent(point: Point | undefined): void;
}

interface Props extends ChartProps {
  kind: string;
  draw(props: DrawProps): ComponentChildren;
}

export function Plot({ title, data, kind, onOpen, draw }: Props) {
  const { ref, width, height } = useSize();
  const [current, setCurrent] = useState<Point>();
  const count = data.times?.length ?? data.labels.length;
  const shown = current && data.series[current.series] && current.index < count ? current : undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = shown ?? { series: 0, index: event.key === "ArrowLeft" ? count : -1 };
    const move = (series: number, index: number): void => {
      event.preventDefault();
      event.stopPropagation();
      setCurrent({
        series: Math.min(data.series.length - 1, Math.max(0, series)),
        index: Math.min(count - 1, Math.max(0, index)),
      });
    };
    if (event.key === "ArrowRight") move(from.series, from.index + 1);
    else if (event.key === "ArrowLeft") move(from.series, from.index - 1);
    else if (event.key === "ArrowDown") move(from.series + 1, from.index);
    else if (event.key === "ArrowUp") move(from.series - 1, from.index);
    else if (event.key === "Home") move(from.series, 0);
    else if (event.key === "End") move(from.series, count - 1);
    else if (event.key === "Enter" && shown) {
      event.preventDefault();
      onOpen(shown);
    }
  };
  return (
    <div class="chart">
      <div
        class="chart-plot"
        ref={ref}
        role="img"
        tabIndex={0}
        aria-label={describe(kind, title, data, zone.value)}
        onKeyDown={onKeyDown}
        onPointerLeave={() => setCurrent(undefined)}
        onBlur={() => setCurrent(undefined)}
      >
        {width > 0 && height > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            {draw({ width, height, current: shown, onCurrent: setCurrent })}
          </svg>
        )}
      </div>
      <p class="chart-current" aria-live="polite">
        {shown && <VisibleText text={pointText(data, data.series[shown.series]!, shown.index, zone.value)} />}
      </p>
    </div>
  );
}

/** The names of series beside their colours and dashes. */
export function Legend({ data, onFilter }: { data: ChartData; onFilter?: (value: string) => void }) {
  if (data.series.length < 2) return null;
  return (
    <ul class="chart-legend">
      {data.series.map(({ name, value }, index) => (
        <li>
          <svg width="18" height="8" aria-hidden="true">
            <line x1="0" y1="4" x2="18" y2="4" class={`series-line series-${index + 1}`} />
          </svg>
          {value !== undefined && onFilter ? (
            <button type="button" class="link-button" title={`Only ${name}`} onClick={() => onFilter(value)}>
              <VisibleText text={name || "(empty)"} />
            </button>
          ) : (
            <VisibleText text={name} />
          )}
        </li>
      ))}
    </ul>
  );
}
