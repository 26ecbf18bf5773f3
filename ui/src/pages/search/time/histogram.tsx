// Numbers of messages over time. Dragging zooms in; a click on a bar selects its time.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Bars } from "../../../api/search.ts";
import { formatCount, formatDate, formatDuration, formatShortTime } from "../../../time/format.ts";
import type { Span } from "../../../time/range.ts";
import type { Zone } from "../../../time/zone.ts";
import { chartOptions, HEIGHT } from "./chart.ts";

interface Props {
  bars: Bars;
  zone: Zone;
  dark: boolean;
  onZoom(span: Span): void;
}

export function Histogram({ bars, zone, dark, onZoom }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef({ bars, onZoom });
  const [hover, setHover] = useState<number>();
  latest.current = { bars, onZoom };

  useEffect(() => {
    const node = host.current!;
    const options = chartOptions(node, zone, () => latest.current.bars, {
      onHover: setHover,
      onZoom: (span) => latest.current.onZoom(span),
    });
    const plot = new uPlot({ ...options, width: node.clientWidth, height: HEIGHT }, dataOf(latest.current.bars), node);
    chart.current = plot;
    const resize = new ResizeObserver(
      () => node.clientWidth > 0 && plot.setSize({ width: node.clientWidth, height: HEIGHT }),
    );
    resize.observe(node);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [zone, dark]);

  useEffect(() => chart.current?.setData(dataOf(bars)), [bars]);

  const shown = hover !== undefined ? bars.counts[hover] : undefined;
  return (
    <figure class="histogram" aria-label={`Messages over time, one bar for ${formatDuration(bars.width_us)}`}>
      <div class="histogram-chart" ref={host} aria-hidden="true" />
      <figcaption class={`histogram-caption ${shown === undefined ? "" : "on"}`} aria-hidden="true">
        {shown !== undefined && hover !== undefined ? (
          <>
            <b>{formatCount(shown)}</b> from {formatShortTime(bars.start_us + hover * bars.width_us, zone)},{" "}
            {formatDuration(bars.width_us)}
          </>
        ) : (
          <>
            {bars.outside && (
              <span class="bars-outside">
                {formatCount(bars.outside.messages)} {bars.outside.messages === 1 ? "message" : "messages"} outside:{" "}
                {formatDate(bars.outside.farthestUs, zone)} ·{" "}
              </span>
            )}
            {formatDuration(bars.width_us)} a bar
          </>
        )}
      </figcaption>
      <table class="visually-hidden">
        <caption>Messages over time</caption>
        <thead>
          <tr>
            <th>From</th>
            <th>Messages</th>
          </tr>
        </thead>
        <tbody>
          {bars.counts.map((value, index) => (
            <tr>
              <td>{formatShortTime(bars.start_us + index * bars.width_us, zone)}</td>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Converts bars to uPlot's data: its times are seconds, and a bar is drawn around the middle of its interval. */
function dataOf(bars: Bars): uPlot.AlignedData {
  const middles = bars.counts.map((_, index) => (bars.start_us + (index + 0.5) * bars.width_us) / 1e6);
  return [middles, bars.counts];
}
