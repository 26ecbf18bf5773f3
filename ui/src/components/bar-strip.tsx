// A small bar chart in one line, with moments that are marked: for panels that have no space for axes.
import type { Bars } from "../api/search.ts";
import { formatCount, formatShortTime } from "../time/format.ts";
import type { Zone } from "../time/zone.ts";

const HEIGHT = 44;
const WIDTH = 480;

interface Props {
  bars: Bars;
  /** Moments that are marked. */
  marks: number[];
  zone: Zone;
  label: string;
  /** Alerts have another colour than messages. */
  tone?: "alert";
  /** Said when there is nothing. */
  none?: string;
}

export function BarStrip({ bars, marks, zone, label, tone, none = "no messages" }: Props) {
  const { counts, start_us, width_us } = bars;
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(1, counts.length);
  const place = (us: number): number => ((us - start_us) / (width_us * Math.max(1, counts.length))) * WIDTH;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const shown = marks.map(place).filter((x) => x >= 0 && x <= WIDTH);
  return (
    <figure class={`bar-strip ${tone ?? ""}`}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${formatCount(total)}; at most ${formatCount(most)} in one of ${counts.length} bars`}
      >
        {counts.map((count, index) => {
          const height = count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT - 4));
          return (
            <rect
              class="bar"
              x={index * step + 0.5}
              y={HEIGHT - height}
              width={Math.max(1, step - 1)}
              height={height}
            />
          );
        })}
        {shown.map((x) => (
          <line class="mark" x1={x} x2={x} y1={0} y2={HEIGHT} />
        ))}
      </svg>
      <figcaption>
        <span>{formatShortTime(start_us, zone)}</span>
        <span>{total === 0 ? none : `at most ${formatCount(most)} a bar`}</span>
        <span>{formatShortTime(start_us + counts.length * width_us, zone)}</span>
      </figcaption>
    </figure>
  );
}
