// The fields of a message, each with its actions: filter, exclude, show as a column, copy.
import type { FullRow } from "../../../api/message.ts";
import { columnOf, FIXED_COLUMNS, valuesOf } from "../../../api/row.ts";
import { Icon, type IconName } from "../../../components/icon.tsx";
import { VisibleText } from "../../../components/visible-text.tsx";
import { plainText } from "../../../text/hidden.ts";
import { SeverityMark } from "../../../components/severity.tsx";
import { shortName, type Filter } from "../../../query/edit.ts";
import { formatDuration, formatFullTime } from "../../../time/format.ts";
import { isoOffset, offsetText, type Zone } from "../../../time/zone.ts";
import type { DetailEvents } from "./detail-pane.tsx";

/** Smallest difference between the two times of a message that is shown. */
const SKEW_US = 2_000_000;

interface Props {
  message: FullRow;
  zone: Zone;
  columns: string[];
  activeFilter(column: string, value: string): Filter | undefined;
  events: DetailEvents;
}

export function FieldsTab({ message, zone, columns, activeFilter, events }: Props) {
  const names = [
    ...FIXED_COLUMNS.filter((name) => name !== "tags" && columnOf(message, name) !== ""),
    ...Object.keys(message.values).sort(),
    "tags",
  ];
  return (
    <>
      <Times message={message} zone={zone} onCopy={events.onCopy} />
      <table class="field-table">
        <caption class="visually-hidden">Fields</caption>
        <tbody>
          {names.flatMap((name) =>
            valuesOf(message, name).map((value, index) => (
              <FieldRow
                key={`${name} ${index}`}
                name={name}
                value={value}
                inList={columns.includes(name)}
                state={activeFilter(name, value)}
                events={events}
              />
            )),
          )}
        </tbody>
      </table>
    </>
  );
}

function Times({ message, zone, onCopy }: { message: FullRow; zone: Zone; onCopy: DetailEvents["onCopy"] }) {
  const { received_us: received, event_us: event, event_offset_s: offset, event_quality: quality } = message;
  const absent = quality === "absent";
  const skew = absent ? 0 : received - event;
  return (
    <dl class="times">
      <dt>Received</dt>
      <dd class="mono">
        {formatFullTime(received, zone)} {isoOffset(received, zone)}
        <CopyButton text={new Date(received / 1000).toISOString()} what="Time" onCopy={onCopy} />
      </dd>
      <dt>Event</dt>
      <dd class="mono">
        {absent ? <span class="muted">none sent</span> : `${formatFullTime(event, zone)} ${isoOffset(event, zone)}`}
        {!absent && <CopyButton text={new Date(event / 1000).toISOString()} what="Time" onCopy={onCopy} />}
        <span class="times-note">
          {!absent && `sent as ${offsetText(offset)}`}
          {!absent && quality !== "known" && <span class="badge">{quality.replaceAll("_", " ")}</span>}
          {Math.abs(skew) >= SKEW_US && (
            <span class="badge">
              {formatDuration(Math.abs(skew))} {skew > 0 ? "earlier" : "later"} than received
            </span>
          )}
        </span>
      </dd>
      <dt>Sequence</dt>
      <dd class="mono">{message.sequence}</dd>
      {message.logspace && (
        <>
          <dt>Logspace</dt>
          <dd>{message.logspace}</dd>
        </>
      )}
    </dl>
  );
}

interface FieldRowProps {
  name: string;
  value: string;
  inList: boolean;
  state: Filter | undefined;
  events: DetailEvents;
}

function FieldRow({ name, value, inList, state, events }: FieldRowProps) {
  return (
    <tr class={state ?? ""} data-field={name} data-value={value}>
      <th scope="row" class="mono" title={name}>
        <span class="field-label">{breakable(shortName(name))}</span>
      </th>
      <td class="mono field-value">
        {name === "severity" ? <SeverityMark severity={value} /> : <VisibleText text={value} breaks="kept" />}
      </td>
      <td class="field-actions">
        <FieldAction
          icon="plus"
          title={`Filter: only ${name} = ${plainText(value)}`}
          on={state === "include"}
          onClick={() => events.onFilter(name, value, "include")}
        />
        <FieldAction
          icon="minus"
          title={`Exclude ${name} = ${plainText(value)}`}
          on={state === "exclude"}
          onClick={() => events.onFilter(name, value, "exclude")}
        />
        <FieldAction
          icon="column"
          title={inList ? `Remove the column ${name}` : `Show ${name} as a column`}
          on={inList}
          onClick={() => events.onColumn(name)}
        />
        <FieldAction icon="copy" title={`Copy the value of ${name}`} onClick={() => events.onCopy(value, "Value")} />
      </td>
    </tr>
  );
}

/** Lets long names break after their dots. */
function breakable(name: string): string {
  return name.replace(/([.@])(?=.)/g, "$1\u200b");
}

function FieldAction({
  icon,
  title,
  on,
  onClick,
}: {
  icon: IconName;
  title: string;
  on?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={`icon-button ${on ? "on" : ""}`}
      title={title}
      aria-label={title}
      aria-pressed={on}
      onClick={onClick}
    >
      <Icon name={icon} size={13} />
    </button>
  );
}

function CopyButton({ text, what, onCopy }: { text: string; what: string; onCopy: DetailEvents["onCopy"] }) {
  return (
    <button
      type="button"
      class="icon-button quiet"
      title="Copy as ISO 8601"
      aria-label={`Copy ${what}`}
      onClick={() => onCopy(text, what)}
    >
      <Icon name="copy" size={12} />
    </button>
  );
}
