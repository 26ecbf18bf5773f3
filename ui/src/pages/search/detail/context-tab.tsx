// The messages just before and after, from the same source, whether they match the query or not.
import type { SameAs } from "../../../api/context.ts";
import type { Row, RowId } from "../../../api/row.ts";
import { VisibleText } from "../../../components/visible-text.tsx";
import { SeverityMark, severityClass } from "../../../components/severity.tsx";
import { formatClockTime } from "../../../time/format.ts";
import type { Zone } from "../../../time/zone.ts";
import type { DetailEvents } from "./detail-pane.tsx";

const SAME: [SameAs, string][] = [
  ["source", "same source"],
  ["host", "same host"],
  ["none", "everything"],
];

interface Props {
  rows: Row[];
  anchor: RowId | undefined;
  open: RowId;
  same: SameAs;
  before: number;
  after: number;
  zone: Zone;
  events: DetailEvents;
}

export function ContextTab({ rows, anchor, open, same, before, after, zone, events }: Props) {
  const earlier = Math.max(
    0,
    rows.findIndex((row) => row.sequence === anchor),
  );
  const later = rows.length - earlier - 1;
  return (
    <>
      <div class="tab-tools">
        <label>
          <span class="muted">Around this message: </span>
          <select value={same} onChange={(event) => events.onSame(event.currentTarget.value as SameAs)}>
            {SAME.map(([value, text]) => (
              <option value={value}>{text}</option>
            ))}
          </select>
        </label>
      </div>
      <MoreButton
        text={earlier < before ? "No earlier messages" : "10 earlier"}
        disabled={earlier < before}
        onClick={() => events.onMore("before")}
      />
      <ol class="context mono">
        {rows.map((row) => (
          <li key={row.sequence}>
            <button
              type="button"
              class={`context-line ${severityClass(row.severity)} ${row.sequence === anchor ? "anchor" : ""} ${row.sequence === open ? "open" : ""}`}
              aria-current={row.sequence === open}
              onClick={() => events.onOpen(row.sequence)}
            >
              <SeverityMark severity={row.severity} word={false} />
              <span class="context-time">{formatClockTime(row.received_us, zone)}</span>
              <span class="context-text">
                <span class="context-sender">
                  <VisibleText text={same === "none" ? `${row.host} ${row.program}` : row.program} />
                </span>{" "}
                <VisibleText text={row.message.slice(0, 400)} breaks="kept" />
              </span>
            </button>
          </li>
        ))}
      </ol>
      <MoreButton
        text={later < after ? "No later messages" : "10 later"}
        disabled={later < after}
        onClick={() => events.onMore("after")}
      />
    </>
  );
}

function MoreButton({ text, disabled, onClick }: { text: string; disabled: boolean; onClick: () => void }) {
  return (
    <button type="button" class="context-more" disabled={disabled} onClick={onClick}>
      {text}
    </button>
  );
}
