// The time range: typed, pasted or picked; moved and widened with buttons; by either clock; its zone always
// visible.
import { useRef, useState } from "preact/hooks";
import type { Clock } from "../../../api/search.ts";
import { Button } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { Popover } from "../../../components/popover.tsx";
import { duration, rangeText } from "../../../time/format.ts";
import { parseRange } from "../../../time/parse.ts";
import type { Range, Span } from "../../../time/range.ts";
import { zoneName, zoneOffset, type Zone } from "../../../time/zone.ts";

const QUICK: [string, string][] = [
  ["5 min", "last 5m"],
  ["15 min", "last 15m"],
  ["1 hour", "last 1h"],
  ["6 hours", "last 6h"],
  ["24 hours", "last 24h"],
  ["7 days", "last 7d"],
  ["30 days", "last 30d"],
  ["Today", "today"],
  ["Yesterday", "yesterday"],
  ["All time", "all"],
];
const EXAMPLES = ["last 2h", "yesterday 14:00-14:20", "since 08:30", "2026-11-21T08:00:00Z"];

interface Props {
  range: Range;
  /** The absolute range; known once the server answered. */
  span: Span | undefined;
  clock: Clock;
  zone: Zone;
  open: boolean;
  onOpen(open: boolean): void;
  onRange(range: Range): void;
  onClock(clock: Clock): void;
  onZone(zone: Zone): void;
  onShift(direction: -1 | 1): void;
  onZoomOut(): void;
}

export function TimePicker(props: Props) {
  const { range, span, clock, zone, open } = props;
  const nowUs = Date.now() * 1000;
  return (
    <div class="time" role="group" aria-label="Time range">
      <Button
        icon="left"
        title="Earlier by half a window"
        shortcut="["
        class="time-step"
        onClick={() => props.onShift(-1)}
      />
      <Popover
        open={open}
        onClose={() => props.onOpen(false)}
        label="Choose a time range"
        align="right"
        class="time-panel"
        anchor={
          <button
            type="button"
            class="time-button"
            aria-expanded={open}
            aria-haspopup="dialog"
            title="Time range  (t)"
            onClick={() => props.onOpen(!open)}
          >
            <Icon name="clock" />
            <span class="time-words">{rangeText(range, zone, span)}</span>
            <span class="time-zone">{zone === "utc" ? "UTC" : zoneOffset(nowUs)}</span>
            <Icon name="down" size={12} />
          </button>
        }
      >
        <Panel {...props} nowUs={nowUs} />
      </Popover>
      <Button
        icon="right"
        title="Later by half a window"
        shortcut="]"
        class="time-step"
        onClick={() => props.onShift(1)}
      />
      <Button
        icon="out"
        title={span ? `Zoom out to ${duration(2 * (span.toUs - span.fromUs))}` : "Zoom out"}
        shortcut="-"
        class="time-step"
        onClick={props.onZoomOut}
      />
      <Segments
        label="Clock"
        value={clock}
        onChange={props.onClock}
        options={[
          ["received", "Received", "When this server received the message"],
          ["event", "Event", "When the sender says it happened"],
        ]}
      />
    </div>
  );
}

function Panel(props: Props & { nowUs: number }) {
  const { zone, nowUs } = props;
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const parsed = typed.trim() ? parseRange(typed, nowUs, zone) : undefined;
  const choose = (range: Range): void => {
    props.onRange(range);
    props.onOpen(false);
  };
  return (
    <>
      <label class="time-typed">
        <span>Type or paste a time</span>
        <input
          ref={input}
          class="mono"
          value={typed}
          placeholder="last 2h"
          spellcheck={false}
          autofocus
          aria-describedby="time-read"
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && parsed && choose(parsed)}
        />
      </label>
      <p id="time-read" class={`time-read ${typed.trim() && !parsed ? "wrong" : ""}`} aria-live="polite">
        {!typed.trim() && (
          <>
            For example{" "}
            {EXAMPLES.map((example) => (
              <button
                type="button"
                class="chip mono"
                onClick={() => {
                  setTyped(example);
                  input.current?.focus();
                }}
              >
                {example}
              </button>
            ))}
          </>
        )}
        {typed.trim() &&
          (parsed ? (
            <>
              {rangeText(parsed, zone, spanOf(parsed, nowUs))} <span class="key">Enter</span>
            </>
          ) : (
            "This is not a time I can read."
          ))}
      </p>
      <div class="time-quick">
        {QUICK.map(([label, text]) => (
          <button type="button" class="chip" onClick={() => choose(parseRange(text, Date.now() * 1000, zone)!)}>
            {label}
          </button>
        ))}
      </div>
      <div class="time-foot">
        <span class="time-zone-name">Times are in {zoneName(zone, nowUs)}</span>
        <Segments
          label="Zone"
          value={zone}
          onChange={props.onZone}
          options={[
            ["local", "Local", "The zone of this browser"],
            ["utc", "UTC", "Coordinated Universal Time"],
          ]}
        />
      </div>
    </>
  );
}

function spanOf(range: Range, nowUs: number): Span | undefined {
  const at = (text: string): number => (text && !text.startsWith("now") ? Date.parse(text) * 1000 : nowUs);
  return { fromUs: at(range.from), toUs: at(range.to) };
}

interface SegmentsProps<T extends string> {
  label: string;
  value: T;
  options: [T, string, string][];
  onChange(value: T): void;
}

function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {options.map(([option, text, title]) => (
        <button
          type="button"
          role="radio"
          aria-checked={option === value}
          class={option === value ? "on" : ""}
          title={title}
          onClick={() => onChange(option)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
