// One dashboard: its tools, filters, panels, and the editor.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { FieldValue, Panel } from "../../api/dashboards.ts";
import type { Logspace } from "../../api/logspaces.ts";
import { Icon } from "../../components/icon.tsx";
import { type PageProps } from "../../components/page-head.tsx";
import { StatusMessage } from "../../components/status-message.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { dashboardSearch, openDashboard, openPage } from "../../navigation/location.ts";
import { decodeBoardView, withFilter } from "../../view/board-view.ts";
import { encodeView } from "../../view/codec.ts";
import { BoardModel } from "./board-model.ts";
import { BoardHead } from "./board-head.tsx";
import { EditBar } from "./edit-bar.tsx";
import { KioskHead } from "./kiosk-head.tsx";
import { compact, freePlace, place, step } from "./layout.ts";
import { PanelEditor } from "./panel-editor.tsx";
import { PanelFrame } from "./panel-frame.tsx";

export interface BoardProps extends PageProps {
  logspaces: Logspace[];
  id: string;
}

export function BoardPage(props: BoardProps) {
  const model = useMemo(() => new BoardModel(props.id, decodeBoardView(dashboardSearch.value)), [props.id]);
  const [edited, setEdited] = useState<{ panel: Panel; isNew: boolean }>();
  useEffect(() => {
    void model.start();
    return () => model.stop();
  }, [model]);
  useEffect(() => {
    const onPop = (): void => {
      model.view.value = decodeBoardView(dashboardSearch.value);
      void model.run();
    };
    addEventListener("popstate", onPop);
    return () => removeEventListener("popstate", onPop);
  }, [model]);
  const spec = model.spec.value;
  const view = model.view.value;
  const isEditing = model.draft.value !== undefined;
  const onFilter = (filters: FieldValue[]): void => {
    if (isEditing || filters.length === 0) return;
    model.show(filters.reduce(withFilter, view));
  };
  const clock = view.clock ?? spec?.time.clock ?? "received";
  const setPanels = (panels: Panel[]): void => model.change({ ...spec!, panels });
  const finish = (panel: Panel): void => {
    const known = spec!.panels.some(({ id }) => id === panel.id);
    setPanels(known ? spec!.panels.map((other) => (other.id === panel.id ? panel : other)) : [...spec!.panels, panel]);
    setEdited(undefined);
    void model.run();
  };
  const add = (): void => setEdited({ panel: newPanel(spec!.panels), isNew: true });
  return (
    <div class={`page board-page ${view.kiosk ? "kiosk" : ""}`}>
      {view.kiosk && !isEditing ? (
        <KioskHead model={model} />
      ) : (
        <BoardHead
          {...props}
          model={model}
          onCopy={() => void model.copy().then((id) => id && openDashboard(id, ""))}
        />
      )}
      {isEditing && <EditBar model={model} onAdd={add} />}
      {view.filters.length > 0 && (
        <ul class="board-filters" aria-label="Filters of all panels">
          {view.filters.map((filter) => (
            <li>
              <button
                type="button"
                class="chip"
                aria-label={`Remove the filter ${filter.field}: ${filter.value}`}
                onClick={() => model.show({ ...view, filters: view.filters.filter((other) => other !== filter) })}
              >
                <VisibleText text={`${filter.field}: ${filter.value}`} /> <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {model.error.value && (
        <p class="alert-error" role="alert">
          {model.error.value.message}
        </p>
      )}
      <p class="visually-hidden" role="status">
        {model.notice.value}
      </p>
      {model.notice.value && (
        <p class="board-notice" aria-hidden="true">
          {model.notice.value}
        </p>
      )}
      <main class="board-scroll">
        {spec && spec.panels.length === 0 && (
          <StatusMessage icon="bars" title="No panels yet" {...(isEditing && { action: "Add a panel", onAction: add })}>
            <p>A panel shows a number, a chart or messages of a query.</p>
          </StatusMessage>
        )}
        {spec && (
          <div class="board-grid">
            {ordered(spec.panels).map((panel) => (
              <PanelFrame
                key={panel.id}
                panel={panel}
                state={model.panels.value.get(panel.id)}
                clock={clock}
                alerts={model.alerts.value}
                editing={isEditing}
                busy={model.busy.value}
                onSearch={(search) => openPage("search", encodeView(search))}
                onFilter={onFilter}
                onPlace={(to) => setPanels(place(spec.panels, panel.id, to))}
                onStep={(direction) => setPanels(step(spec.panels, panel.id, direction))}
                onEdit={() => setEdited({ panel, isNew: false })}
                onRemove={() => setPanels(compact(spec.panels.filter(({ id }) => id !== panel.id)))}
                onSay={(text) => (model.notice.value = text)}
              />
            ))}
          </div>
        )}
      </main>
      {edited && (
        <PanelEditor
          key={edited.panel.id}
          panel={edited.panel}
          isNew={edited.isNew}
          logspaces={props.logspaces}
          onDone={finish}
          onCancel={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

/** In the order of reading, which the keyboard follows. */
const ordered = (panels: Panel[]): Panel[] => [...panels].sort((a, b) => a.y - b.y || a.x - b.x);

function newPanel(panels: Panel[]): Panel {
  let number = panels.length + 1;
  while (panels.some(({ id }) => id === `panel-${number}`)) number++;
  const { x, y, w, h } = freePlace(panels, 6, 3);
  return {
    id: `panel-${number}`,
    title: "",
    kind: "bar",
    x,
    y,
    w,
    h,
    logspace: "",
    query: "* | top 10 host",
    options: {},
  };
}
