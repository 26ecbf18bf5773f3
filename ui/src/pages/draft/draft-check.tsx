// Result of a check over the past: alerts a day, bars of messages and of alerts, and the moments at which the rule would have fired.
import type { Preview } from "../../api/preview.ts";
import type { ErrorBody } from "../../api/call.ts";
import { BarStrip } from "../../components/bar-strip.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatCount, formatNumber, formatShortTime } from "../../time/format.ts";
import type { Zone } from "../../time/zone.ts";
import { AlertKey } from "../alerts/alert-row.tsx";

const MOMENTS_SHOWN = 30;
const RANGES: [string, string][] = [
  ["now-1d", "1 day"],
  ["now-7d", "7 days"],
  ["now-30d", "30 days"],
];

interface Props {
  preview: Preview | undefined;
  error: ErrorBody | undefined;
  checking: boolean;
  from: string;
  zone: Zone;
  onFrom(from: string): void;
}

export function DraftCheck({ preview, error, checking, from, zone, onFrom }: Props) {
  return (
    <section class={`draft-check ${checking ? "stale" : ""}`} aria-label="Check" aria-busy={checking}>
      <header>
        <h2>Check: over the last</h2>
        <div class="segmented" role="group" aria-label="How far back">
          {RANGES.map(([value, label]) => (
            <button
              type="button"
              class={value === from ? "on" : ""}
              aria-pressed={value === from}
              onClick={() => onFrom(value)}
            >
              {label}
            </button>
          ))}
        </div>
      </header>
      {error && (
        <p class="alert-error" role="alert">
          {error.message}
        </p>
      )}
      {preview && !error && <Result preview={preview} zone={zone} />}
      {!preview && !error && <p class="muted">Reading the messages…</p>}
    </section>
  );
}

function Result({ preview, zone }: { preview: Preview; zone: Zone }) {
  const { from_us, to_us, fired_total, moments } = preview;
  const width_us = (to_us - from_us) / Math.max(1, preview.matched.length);
  const bars = (counts: number[]) => ({ start_us: from_us, width_us, counts });
  return (
    <>
      <p class="draft-verdict" role="status">
        It would have fired <b>{formatCount(fired_total)}</b> {fired_total === 1 ? "time" : "times"}
        {fired_total > 0 && <>, {perDayText(preview.per_day)}</>}
      </p>
      <p class="muted">{preview.condition}</p>
      {cautions(preview, zone).map((text) => (
        <p class="coverage warning">
          <Icon name="alert" size={14} />
          <span>{text}</span>
        </p>
      ))}
      <h3>Alerts</h3>
      <BarStrip
        bars={bars(preview.fired)}
        marks={[]}
        zone={zone}
        label="Alerts over time"
        tone="alert"
        none="no alerts"
      />
      <h3>Messages that match</h3>
      <BarStrip bars={bars(preview.matched)} marks={[]} zone={zone} label="Messages over time" />
      {moments.length > 0 && (
        <>
          <h3>
            {moments.length < fired_total || moments.length > MOMENTS_SHOWN ? "The first moments" : "The moments"}
          </h3>
          <ul class="moments">
            {moments.slice(0, MOMENTS_SHOWN).map((moment) => (
              <li>
                <span class="moment-time">{formatShortTime(moment.at_us, zone)}</span>
                <AlertKey alertKey={moment.key} />
                {moment.value !== null && <b>{formatNumber(moment.value)}</b>}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

export function perDayText(perDay: number): string {
  if (perDay >= 10) return `${formatCount(Math.round(perDay))} a day`;
  return `${perDay >= 0.1 ? Number(perDay.toFixed(1)) : "less than 0.1"} a day`;
}

/** What a reader must know about the numbers. */
function cautions({ from_us, to_us, first_us, unread, degraded, reached_us }: Preview, zone: Zone): string[] {
  const found: string[] = [];
  if (first_us === null) found.push("There are no messages of that time");
  else if (first_us - from_us > (to_us - from_us) / 50)
    found.push(`The first message of that time is of ${formatShortTime(first_us, zone)}`);
  if (reached_us !== null)
    found.push(`There was time for messages up to ${formatShortTime(reached_us, zone)} only: choose fewer days`);
  if (unread > 0) found.push(`${formatCount(unread)} messages could not be read, because they are locked or damaged`);
  if (degraded) found.push("There are more groups than a check keeps: it would have fired more often");
  return found;
}
