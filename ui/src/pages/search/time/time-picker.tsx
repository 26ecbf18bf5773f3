// The time range: typed, pasted or chosen from presets, shifted and widened with buttons, by either of the two clocks. Its
// time zone is always visible.
import { useRef, useState } from "preact/hooks";
import type { Clock } from "../../../api/search.ts";
import { Button } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { Popover } from "../../../components/popover.tsx";
import { formatDuration, formatRange } from "../../../time/format.ts";
import { parseRange } from "../../../time/parse.ts";
import type { Range, Span } from "../../../time/range.ts";
import { zoneName, zoneOffsets, type Zone } from "../../../time/zone.ts";

const PRESETS: [string, string][] = [
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
  /** The absolute range, once the server has answered. */
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
        title="Earlier by half the range"
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
            <span class="time-text">{formatRange(range, zone, span)}</span>
            <span class="time-zone">
              {zone === "utc" ? "UTC" : zoneOffsets(span?.fromUs ?? nowUs, span?.toUs ?? nowUs)}
            </span>
            <Icon name="down" size={12} />
          </button>
        }
      >
        <Panel {...props} nowUs={nowUs} />
      </Popover>
      <Button
        icon="right"
        title="Later by half the range"
        shortcut="]"
        class="time-step"
        onClick={() => props.onShift(1)}
      />
      <Button
        icon="out"
        title={span ? `Zoom out to ${formatDuration(2 * (span.toUs - span.fromUs))}` : "Zoom out"}
        shortcut="-"
        class="time-step"
        onClick={props.onZoomOut}
      />
      <SegmentedControl
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
  const [input, setInput] = useState(typedForm(props.range));
  const field = useRef<HTMLInputElement>(null);
  const parsed = input.trim() ? parseRange(input, nowUs, zone) : undefined;
  const apply = (range: Range): void => {
    props.onRange(range);
    props.onOpen(false);
  };
  return (
    <>
      <label class="time-input">
        <span>Type or paste a time</span>
        <input
          ref={field}
          class="mono"
          value={input}
          placeholder="last 2h"
          spellcheck={false}
          autofocus
          aria-describedby="time-read"
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => setInput(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && parsed && apply(parsed)}
        />
      </label>
      <p id="time-read" class={`time-preview ${input.trim() && !parsed ? "wrong" : ""}`} aria-live="polite">
        {!input.trim() && (
          <>
            For example{" "}
            {EXAMPLES.map((example) => (
              <button
                type="button"
                class="chip mono"
                onClick={() => {
                  setInput(example);
                  field.current?.focus();
                }}
              >
                {example}
              </button>
            ))}
          </>
        )}
        {input.trim() &&
          (parsed ? (
            <>
              {formatRange(parsed, zone, spanOf(parsed, nowUs))} <span class="key">Enter</span>
            </>
          ) : (
            `This time cannot be understood. Write it like one of these: ${EXAMPLES.join(", ")}`
          ))}
      </p>
      <div class="time-presets">
        {PRESETS.map(([label, text]) => (
          <button type="button" class="chip" onClick={() => apply(parseRange(text, Date.now() * 1000, zone)!)}>
            {label}
          </button>
        ))}
      </div>
      <div class="time-footer">
        <span class="time-zone-name">Times are in {zoneName(zone, nowUs)}</span>
        <SegmentedControl
          label="Zone"
          value={zone}
          onChange={props.onZone}
          options={[
            ["local", "Local", "The time zone of this browser"],
            ["utc", "UTC", "Coordinated Universal Time"],
          ]}
        />
      </div>
    </>
  );
}

/** Returns the range as somebody would type it. */
function typedForm({ from, to }: Range): string {
  const last = /^now-(\d+[smhdw])$/.exec(from);
  if (last && to === "now") return `last ${last[1]}`;
  if (!from && !to) return "all";
  return from && to ? `${from} / ${to}` : "";
}

function spanOf(range: Range, nowUs: number): Span | undefined {
  const at = (text: string): number => (text && !text.startsWith("now") ? Date.parse(text) * 1000 : nowUs);
  return { fromUs: at(range.from), toUs: at(range.to) };
}

interface SegmentedControlProps<T extends string> {
  label: string;
  value: T;
  options: [T, string, string][];
  onChange(value: T): void;
}

function SegmentedControl<T extends string>({ label, value, options, onChange }: SegmentedControlProps<T>) {
  return (
    <div class="segmented" role="radiogroup" aria-label={label}>
      {options.map(([option, text, title]) => (
        <button
          type="button"
          role="radio"
          aria-checked={option === value}
          class={option === value ? "on" : ""}
          title={title}
          tabIndex={option === value ? 0 : -1}
          onClick={() => onChange(option)}
          onKeyDown={(event) => chooseByKey(event, options, value, onChange)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** Moves the choice with the arrow keys, as radio buttons do. */
function chooseByKey<T extends string>(
  event: KeyboardEvent,
  options: [T, string, string][],
  value: T,
  onChange: (value: T) => void,
): void {
  const by = ["ArrowRight", "ArrowDown"].includes(event.key)
    ? 1
    : ["ArrowLeft", "ArrowUp"].includes(event.key)
      ? -1
      : 0;
  if (by === 0) return;
  event.preventDefault();
  event.stopPropagation();
  const at = options.findIndex(([option]) => option === value);
  const next = (at + by + options.length) % options.length;
  onChange(options[next]![0]);
  (event.currentTarget as HTMLElement).parentElement?.querySelectorAll<HTMLElement>("[role=radio]")[next]?.focus();
}
