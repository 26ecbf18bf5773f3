// uPlot's settings for the histogram: plain bars, few grid lines, and dragging that selects a range.
import uPlot from "uplot";
import type { Bars } from "../../../api/search.ts";
import { formatCompact, formatAxisTime } from "../../../time/format.ts";
import type { Span } from "../../../time/range.ts";
import type { Zone } from "../../../time/zone.ts";

export const HEIGHT = 116;
/** A drag shorter than this is a click. */
const DRAG_PX_MIN = 4;

interface ChartEvents {
  onHover(bar: number | undefined): void;
  onZoom(span: Span): void;
}

export function chartOptions(
  node: HTMLElement,
  zone: Zone,
  bars: () => Bars,
  events: ChartEvents,
): Omit<uPlot.Options, "width" | "height"> {
  const style = getComputedStyle(node);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--muted"),
    font: `11px ${color("--sans")}`,
    ticks: { show: false },
  };
  return {
    padding: [24, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: DRAG_PX_MIN } },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: true, range: () => edges(bars()) },
      y: { range: (_plot, _low, high) => [0, Math.max(1, high)] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 4,
        space: 84,
        grid: { show: false },
        values: (_plot, splits) =>
          splits.map((at, index) =>
            formatAxisTime(at * 1e6, ((splits[1] ?? at) - (splits[0] ?? at)) * 1e6 || index + 1, zone),
          ),
      },
      {
        ...axis,
        size: 46,
        gap: 6,
        space: 34,
        grid: { stroke: color("--line"), width: 1 },
        values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? formatCompact(value) : "")),
      },
    ],
    tzDate: (seconds) =>
      zone === "utc" ? uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") : new Date(seconds * 1000),
    series: [
      {},
      {
        fill: color("--bar"),
        stroke: color("--bar"),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars!({ size: [0.86, 60], radius: 0.12 }),
      },
    ],
    hooks: {
      setCursor: [
        (plot) =>
          events.onHover(
            plot.cursor.left !== undefined && plot.cursor.left >= 0 ? barAt(plot, bars(), plot.cursor.left) : undefined,
          ),
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < DRAG_PX_MIN) return;
          const from = plot.posToVal(left, "x") * 1e6;
          const to = plot.posToVal(left + width, "x") * 1e6;
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          events.onZoom({ fromUs: Math.round(from), toUs: Math.round(to) });
        },
      ],
      ready: [(plot) => zoomOnClick(plot, bars, events)],
    },
  };
}

/** Zooms to the bar that is clicked. A drag ends with a click, too: it is recognised by its movement. */
function zoomOnClick(plot: uPlot, bars: () => Bars, events: ChartEvents): void {
  let downX = 0;
  plot.over.addEventListener("mousedown", (event) => (downX = event.clientX));
  plot.over.addEventListener("click", (event) => {
    const bar = barAt(plot, bars(), event.clientX - plot.over.getBoundingClientRect().left);
    if (bar === undefined || Math.abs(event.clientX - downX) >= DRAG_PX_MIN) return;
    const { start_us, width_us } = bars();
    events.onZoom({ fromUs: start_us + bar * width_us, toUs: start_us + (bar + 1) * width_us });
  });
}

function edges({ start_us, width_us, counts }: Bars): [number, number] {
  return [start_us / 1e6, (start_us + Math.max(1, counts.length) * width_us) / 1e6];
}

function barAt(plot: uPlot, { start_us, width_us, counts }: Bars, left: number): number | undefined {
  const bar = Math.floor((plot.posToVal(left, "x") * 1e6 - start_us) / width_us);
  return bar >= 0 && bar < counts.length ? bar : undefined;
}
