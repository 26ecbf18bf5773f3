// A table over time, drawn as lines.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { VisibleText } from "../../../components/visible-text.tsx";
import { formatAxisTime, formatCompact, formatNumber, formatShortTime } from "../../../time/format.ts";
import type { Span } from "../../../time/range.ts";
import type { Zone } from "../../../time/zone.ts";
import type { Series } from "./table.ts";

const HEIGHT = 240;
/** A drag shorter than this is a click. */
const DRAG_PX_MIN = 4;
const COLORS = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6", "--line-7", "--line-8"];

interface Props {
  series: Series;
  /** The range that was searched, so that the lines are below the bars of the same time. */
  span: Span | undefined;
  onZoom(span: Span): void;
  zone: Zone;
  dark: boolean;
}

export function TableChart({ series, span, zone, dark, onZoom }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<number>();
  useEffect(() => {
    const node = host.current!;
    const style = getComputedStyle(node);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis = { stroke: color("--muted"), font: `11px ${color("--sans")}`, ticks: { show: false } };
    const plot = new uPlot(
      {
        width: node.clientWidth,
        height: HEIGHT,
        padding: [12, 12, 0, 0],
        legend: { show: false },
        cursor: { points: { show: false }, drag: { x: true, y: false, setScale: false, dist: DRAG_PX_MIN } },
        hooks: {
          setCursor: [(chart) => setHover(chart.cursor.idx ?? undefined)],
          setSelect: [
            (chart) => {
              const { left, width } = chart.select;
              if (width < DRAG_PX_MIN) return;
              chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              const at = (px: number): number => Math.round(chart.posToVal(px, "x") * 1e6);
              onZoom({ fromUs: at(left), toUs: at(left + width) });
            },
          ],
        },
        scales: {
          x: { time: true, ...(span && { range: [span.fromUs / 1e6, span.toUs / 1e6] }) },
          y: { range: (_plot, low, high) => [Math.min(0, low), Math.max(1, high)] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_plot, splits) =>
              splits.map((at) => formatAxisTime(at * 1e6, ((splits[1] ?? at) - (splits[0] ?? at)) * 1e6 || 1, zone)),
          },
          {
            ...axis,
            size: 52,
            grid: { stroke: color("--line"), width: 1 },
            values: (_plot, splits) => splits.map(formatCompact),
          },
        ],
        tzDate: (seconds) =>
          zone === "utc" ? uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") : new Date(seconds * 1000),
        series: [
          {},
          ...series.lines.map((line, index) => ({
            label: line.name,
            stroke: color(COLORS[index % COLORS.length]!),
            width: 1.5,
            points: { show: series.times.length < 60, size: 4 },
          })),
        ],
      },
      [series.times, ...series.lines.map((line) => line.values)],
      node,
    );
    const resize = new ResizeObserver(
      () => node.clientWidth > 0 && plot.setSize({ width: node.clientWidth, height: HEIGHT }),
    );
    resize.observe(node);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [series, zone, dark]);
  return (
    <figure class="table-chart" aria-label="The table as lines over time; the same numbers stand below">
      <div ref={host} aria-hidden="true" />
      <figcaption>
        {series.lines.map((line, index) => (
          <span key={line.name}>
            <i class={`line-${(index % COLORS.length) + 1}`} aria-hidden="true" />
            <VisibleText text={line.name} />
            {hover !== undefined && <b>{formatNumber(line.values[hover] ?? 0)}</b>}
          </span>
        ))}
        {hover !== undefined && <span class="muted">{formatShortTime((series.times[hover] ?? 0) * 1e6, zone)}</span>}
      </figcaption>
    </figure>
  );
}
