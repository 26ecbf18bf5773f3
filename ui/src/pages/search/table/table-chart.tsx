// A table over time, drawn as lines.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatCompact, formatAxisTime } from "../../../time/format.ts";
import type { Zone } from "../../../time/zone.ts";
import type { Series } from "./table.ts";

const HEIGHT = 240;
const COLORS = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6", "--line-7", "--line-8"];

interface Props {
  series: Series;
  zone: Zone;
  dark: boolean;
}

export function TableChart({ series, zone, dark }: Props) {
  const host = useRef<HTMLDivElement>(null);
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
        cursor: { points: { show: false }, drag: { x: false, y: false } },
        scales: { x: { time: true }, y: { range: (_plot, low, high) => [Math.min(0, low), Math.max(1, high)] } },
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
            {line.name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
