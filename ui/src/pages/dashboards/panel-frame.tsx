// A panel with its head: title, menu, errors; while editing also the buttons that move and resize it.
import { useRef, useState } from "preact/hooks";
import type { Alert } from "../../api/alerts.ts";
import type { FieldValue, Panel } from "../../api/dashboards.ts";
import type { Clock } from "../../api/search.ts";
import { copyText } from "../../components/copy-text.ts";
import { Icon } from "../../components/icon.tsx";
import { Popover } from "../../components/popover.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { formatShortTime } from "../../time/format.ts";
import { zone } from "../../view/preferences.ts";
import type { View } from "../../view/view.ts";
import type { PanelState } from "./board-model.ts";
import { panelSearch } from "./cell-search.ts";
import { csvOf, saveFile } from "./csv.ts";
import { EditButtons } from "./edit-buttons.tsx";
import type { Direction, Place } from "./layout.ts";
import { MarkdownText } from "./markdown-text.tsx";
import { PanelBody } from "./panel-body.tsx";

interface Props {
  panel: Panel;
  state: PanelState | undefined;
  clock: Clock;
  alerts: Alert[];
  editing: boolean;
  busy: boolean;
  onSearch(view: View): void;
  onFilter(filters: FieldValue[]): void;
  onPlace(place: Place): void;
  onStep(direction: Direction): void;
  onEdit(): void;
  onRemove(): void;
  onSay(text: string): void;
}

const CHARTS = ["line", "bar", "pie"];

export function PanelFrame(props: Props) {
  const { panel, state, clock, editing } = props;
  const [asTable, setAsTable] = useState(false);
  const frame = useRef<HTMLElement>(null);
  const shown = state?.shown;
  const isStale = Boolean(shown && state?.error);
  return (
    <section
      class={`panel ${isStale ? "stale" : ""} ${editing ? "editing" : ""}`}
      aria-label={panel.title || panel.id}
      aria-busy={props.busy && !shown}
      ref={frame}
      style={{ gridColumn: `${panel.x + 1} / span ${panel.w}`, gridRow: `${panel.y + 1} / span ${panel.h}` }}
    >
      {(panel.kind !== "text" || panel.title !== "") && (
        <header class="panel-head">
          <h2 class="ellipsis">
            <VisibleText text={panel.title} />
          </h2>
          {panel.time && <span class="muted panel-note">own time</span>}
          {panel.kind !== "text" && shown && !editing && (
            <PanelMenu {...props} shown={shown} asTable={asTable} onTable={() => setAsTable(!asTable)} />
          )}
        </header>
      )}
      {editing && <EditButtons {...props} frame={frame} />}
      <div class="panel-body">
        {panel.kind === "text" && <MarkdownText text={panel.text ?? ""} />}
        {shown?.answer && (
          <PanelBody
            panel={panel}
            shown={shown}
            clock={clock}
            asTable={asTable}
            alerts={props.alerts}
            onSearch={props.onSearch}
            onFilter={props.onFilter}
          />
        )}
      </div>
      {state?.error && (
        <p class="panel-error" role="status">
          <Icon name="alert" size={14} />{" "}
          {state.error.code === "forbidden" ? `Not shown: ${state.error.message}` : state.error.message}
          {isStale &&
            state.takenUs !== undefined &&
            ` The figures are of ${formatShortTime(state.takenUs, zone.value)}.`}
        </p>
      )}
      {shown?.answer && shown.answer.hints.length > 0 && (
        <p class="panel-hint muted" title={shown.answer.hints.join("\n")}>
          {shown.answer.hints[0]}
        </p>
      )}
    </section>
  );
}

function PanelMenu(props: Props & { shown: NonNullable<PanelState["shown"]>; asTable: boolean; onTable(): void }) {
  const { panel, shown, clock } = props;
  const [open, setOpen] = useState(false);
  const act = (action: () => void) => () => {
    setOpen(false);
    action();
  };
  return (
    <Popover
      open={open}
      onClose={() => setOpen(false)}
      label={`Panel ${panel.title || panel.id}`}
      align="right"
      anchor={
        <button
          type="button"
          class="icon-button"
          aria-expanded={open}
          aria-haspopup="dialog"
          aria-label={`Actions of ${panel.title || panel.id}`}
          title="Actions"
          onClick={() => setOpen(!open)}
        >
          <Icon name="down" size={14} />
        </button>
      }
    >
      <ul class="menu">
        <li>
          <button type="button" onClick={act(() => props.onSearch(panelSearch(shown, clock)))}>
            <span class="menu-mark" />
            Open in Search
          </button>
        </li>
        <li>
          <button
            type="button"
            onClick={act(
              () =>
                void copyText(shown.query).then((done) =>
                  props.onSay(done ? "Query copied" : "The query could not be copied"),
                ),
            )}
          >
            <span class="menu-mark" />
            Copy query
          </button>
        </li>
        <li>
          <button type="button" onClick={act(() => saveFile(`${panel.id}.csv`, "text/csv", csvOf(panel, shown)))}>
            <span class="menu-mark" />
            Save as CSV
          </button>
        </li>
        {CHARTS.includes(panel.kind) && (
          <li>
            <button type="button" aria-pressed={props.asTable} onClick={act(props.onTable)}>
              <span class="menu-mark">{props.asTable && <Icon name="check" size={14} />}</span>
              Show as table
            </button>
          </li>
        )}
      </ul>
    </Popover>
  );
}
