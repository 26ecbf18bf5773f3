// The form of a panel: title, kind, query, logspace, options.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Panel, PanelKind } from "../../api/dashboards.ts";
import { listSearches, readSearch, type SavedSummary } from "../../api/objects.ts";
import type { Logspace } from "../../api/logspaces.ts";
import { Button } from "../../components/button.tsx";

export const KINDS: [PanelKind, string, string][] = [
  ["number", "Number", "A query without pipes, or stats: * | stats count()"],
  ["line", "Lines over time", "* | timechart count() by host; without pipes the count over time"],
  ["bar", "Bars", "* | top 10 host; without pipes the count over time"],
  ["pie", "Pie", "* | top 6 program"],
  ["table", "Table", "* | stats count() by host, program"],
  ["messages", "Messages", "severity:<=err"],
  ["heat", "Hours by days", "* | timechart 1h count()"],
  ["text", "Text", ""],
];

interface Props {
  panel: Panel;
  logspaces: Logspace[];
  isNew: boolean;
  onDone(panel: Panel): void;
  onCancel(): void;
}

export function PanelEditor({ panel: first, logspaces, isNew, onDone, onCancel }: Props) {
  const [panel, setPanel] = useState(first);
  const [searches, setSearches] = useState<SavedSummary[]>([]);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    listSearches(false).then(
      ({ objects }) => setSearches(objects),
      () => undefined,
    );
    return () => before?.focus();
  }, []);
  const set = (more: Partial<Panel>): void => setPanel((panel) => ({ ...panel, ...more }));
  const useSearch = (id: string): void => {
    if (!id) return;
    readSearch(id).then(
      ({ name, spec }) =>
        setPanel((panel) => ({ ...panel, query: spec.query, logspace: spec.logspace, title: panel.title || name })),
      () => undefined,
    );
  };
  const isText = panel.kind === "text";
  const example = KINDS.find(([kind]) => kind === panel.kind)?.[2];
  return (
    <dialog
      class="saved-dialog board-dialog"
      aria-labelledby="panel-editor-title"
      ref={dialog}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDone(cleaned(panel));
        }}
      >
        <h2 id="panel-editor-title">{isNew ? "Add a panel" : "Edit the panel"}</h2>
        <label>
          <span>Title</span>
          <input
            value={panel.title}
            maxLength={200}
            autofocus
            onInput={(event) => set({ title: event.currentTarget.value })}
          />
        </label>
        <label>
          <span>Shown as</span>
          <select value={panel.kind} onChange={(event) => set({ kind: event.currentTarget.value as PanelKind })}>
            {KINDS.map(([kind, label]) => (
              <option value={kind}>{label}</option>
            ))}
          </select>
        </label>
        {isText ? (
          <label>
            <span>Text</span>
            <textarea
              rows={6}
              maxLength={8_000}
              value={panel.text ?? ""}
              onInput={(event) => set({ text: event.currentTarget.value })}
            />
          </label>
        ) : (
          <>
            {searches.length > 0 && (
              <label>
                <span>From a saved search</span>
                <select value="" onChange={(event) => useSearch(event.currentTarget.value)}>
                  <option value="">Choose one to copy its query</option>
                  {searches.map(({ id, name }) => (
                    <option value={id}>{name}</option>
                  ))}
                </select>
              </label>
            )}
            <label>
              <span>Query</span>
              <textarea
                class="mono"
                rows={3}
                spellcheck={false}
                value={panel.query}
                aria-describedby="panel-editor-example"
                onInput={(event) => set({ query: event.currentTarget.value })}
              />
            </label>
            <p id="panel-editor-example" class="muted">
              For example <code>{example}</code>. <code>{"${name}"}</code> is the value of a parameter.
            </p>
            <label>
              <span>Logspace</span>
              <select value={panel.logspace} onChange={(event) => set({ logspace: event.currentTarget.value })}>
                <option value="">That of the dashboard</option>
                {[...new Set([...logspaces.map(({ name }) => name), ...(panel.logspace ? [panel.logspace] : [])])].map(
                  (name) => (
                    <option value={name}>{name}</option>
                  ),
                )}
              </select>
            </label>
            <Options panel={panel} set={set} />
          </>
        )}
        <div class="dialog-actions">
          <Button title="Cancel" onClick={onCancel}>
            Cancel
          </Button>
          <button type="submit" class="button primary">
            {isNew ? "Add" : "Done"}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function Options({ panel, set }: { panel: Panel; set(more: Partial<Panel>): void }) {
  const { options } = panel;
  const has = (...kinds: PanelKind[]): boolean => kinds.includes(panel.kind);
  return (
    <>
      {has("number") && (
        <>
          <label>
            <span>Unit</span>
            <input
              value={options.unit ?? ""}
              maxLength={16}
              onInput={(event) => set({ options: { ...options, unit: event.currentTarget.value } })}
            />
          </label>
          <label class="dialog-check">
            <input
              type="checkbox"
              checked={options.compare === true}
              onChange={(event) => set({ options: { ...options, compare: event.currentTarget.checked } })}
            />{" "}
            Compare with the same time before
          </label>
        </>
      )}
      {has("table", "messages") && (
        <label>
          <span>Rows</span>
          <input
            type="number"
            min={1}
            max={500}
            value={options.rows || 50}
            onInput={(event) => set({ options: { ...options, rows: Number(event.currentTarget.value) } })}
          />
        </label>
      )}
      {has("messages") && (
        <label>
          <span>Columns</span>
          <input
            class="mono"
            placeholder="severity, host, program"
            value={(options.columns ?? []).join(", ")}
            onChange={(event) => set({ options: { ...options, columns: namesOf(event.currentTarget.value) } })}
          />
        </label>
      )}
    </>
  );
}

const namesOf = (text: string): string[] =>
  [
    ...new Set(
      text
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ].slice(0, 24);

/** Returns the panel without members that its kind does not have. */
export function cleaned(panel: Panel): Panel {
  const { kind, options } = panel;
  const kept: Panel["options"] = {};
  if (kind === "number" && options.compare) kept.compare = true;
  if (kind === "number" && options.unit?.trim()) kept.unit = options.unit.trim();
  if ((kind === "table" || kind === "messages") && options.rows)
    kept.rows = Math.min(500, Math.max(1, Math.round(options.rows)));
  if (kind === "messages" && options.columns?.length) kept.columns = options.columns;
  const { text, time, ...rest } = panel;
  if (kind === "text") return { ...rest, text: text ?? "", query: "", logspace: "", options: {} };
  return { ...rest, ...(time && { time }), options: kept };
}
