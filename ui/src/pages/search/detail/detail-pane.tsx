// The details of one message, in a pane next to the list.
import type { ErrorBody } from "../../../api/call.ts";
import type { SameAs } from "../../../api/context.ts";
import type { FullRow } from "../../../api/message.ts";
import { timeOf, type Row, type RowId } from "../../../api/row.ts";
import type { Clock } from "../../../api/search.ts";
import { Icon } from "../../../components/icon.tsx";
import { Button } from "../../../components/button.tsx";
import { MessageText } from "../../../components/message-text.tsx";
import { SeverityMark } from "../../../components/severity.tsx";
import type { Filter } from "../../../query/edit.ts";
import { countHidden } from "../../../text/hidden.ts";
import { formatCount, formatFullTime } from "../../../time/format.ts";
import { isoOffset, type Zone } from "../../../time/zone.ts";
import type { PaneTab } from "../../../view/view.ts";
import { sentence } from "../states/empty-state.tsx";
import { ContextTab } from "./context-tab.tsx";
import { FieldsTab } from "./fields-tab.tsx";
import { JsonTab } from "./json-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import { TokensTab } from "./tokens-tab.tsx";

const TABS: [PaneTab, string][] = [
  ["fields", "Fields"],
  ["context", "Context"],
  ["raw", "Raw"],
  ["tokens", "Tokens"],
  ["json", "JSON"],
];

export interface DetailEvents {
  onTab(tab: PaneTab): void;
  onClose(): void;
  onStep(by: -1 | 1): void;
  onFilter(column: string, value: string, filter: Filter): void;
  onColumn(column: string): void;
  onCopy(text: string, what: string): void;
  onWord(word: string): void;
  onOpen(sequence: RowId): void;
  onSame(same: SameAs): void;
  onMore(side: "before" | "after"): void;
}

interface Props {
  message: FullRow | undefined;
  /** The same message as the list has it, with its matches highlighted. */
  row: Row | undefined;
  open: RowId;
  error: ErrorBody | undefined;
  tab: PaneTab;
  clock: Clock;
  zone: Zone;
  columns: string[];
  context: { rows: Row[]; anchor: RowId | undefined; same: SameAs; before: number; after: number };
  activeFilter(column: string, value: string): Filter | undefined;
  events: DetailEvents;
}

export function DetailPane({
  message,
  row,
  open,
  error,
  tab,
  clock,
  zone,
  columns,
  context,
  activeFilter,
  events,
}: Props) {
  const shown = message?.sequence === open ? message : row?.sequence === open ? row : undefined;
  // Until the whole message has arrived, the fields of the message before would be wrong.
  const full = message?.sequence === open ? message : undefined;
  return (
    <aside class="pane" aria-label="Message">
      <header class="pane-head">
        {shown && <SeverityMark severity={shown.severity} />}
        {shown && (
          <span class="pane-time mono">
            {formatFullTime(timeOf(shown, clock), zone).slice(0, 23)} {isoOffset(timeOf(shown, clock), zone)}
          </span>
        )}
        <span class="spacer" />
        <Button icon="up" title="Newer message" shortcut="k" onClick={() => events.onStep(-1)} />
        <Button icon="down" title="Older message" shortcut="j" onClick={() => events.onStep(1)} />
        <Button icon="close" title="Close" shortcut="Esc" onClick={events.onClose} />
      </header>
      {error && (
        <p class="pane-error" role="alert">
          {sentence(error.message)}
        </p>
      )}
      {shown && (
        <>
          <div class="pane-message mono">
            <MessageText
              key={shown.sequence}
              text={shown.message}
              highlights={row?.sequence === shown.sequence ? row.highlights : undefined}
            />
            <HiddenCount text={shown.message} />
          </div>
          <div class="tabs" role="tablist" aria-label="What to show">
            {TABS.map(([name, text]) => (
              <button
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-selected={tab === name}
                aria-controls="tab-panel"
                tabIndex={tab === name ? 0 : -1}
                class={tab === name ? "on" : ""}
                onClick={() => events.onTab(name)}
                onKeyDown={(event) => selectTabByKey(event, tab, events.onTab)}
              >
                {text}
              </button>
            ))}
          </div>
          <div class="pane-body" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
            {full && tab === "fields" && (
              <FieldsTab message={full} zone={zone} columns={columns} activeFilter={activeFilter} events={events} />
            )}
            {full && tab === "raw" && <RawTab key={full.sequence} message={full} onCopy={events.onCopy} />}
            {full && tab === "tokens" && <TokensTab message={full} onWord={events.onWord} />}
            {full && tab === "json" && <JsonTab message={full} onCopy={events.onCopy} />}
            {tab === "context" && <ContextTab {...context} open={shown.sequence} zone={zone} events={events} />}
          </div>
        </>
      )}
    </aside>
  );
}

function HiddenCount({ text }: { text: string }) {
  const hidden = countHidden(text);
  if (hidden === 0) return null;
  return (
    <p class="hidden-count" role="note">
      <Icon name="alert" size={13} /> {hidden === 1 ? "1 character" : `${formatCount(hidden)} characters`} that cannot
      be seen; shown by name
    </p>
  );
}

function selectTabByKey(event: KeyboardEvent, tab: PaneTab, onTab: (tab: PaneTab) => void): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  event.stopPropagation();
  const at = TABS.findIndex(([name]) => name === tab);
  const next = TABS[(at + by + TABS.length) % TABS.length]![0];
  onTab(next);
  (event.currentTarget as HTMLElement).parentElement?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
}
