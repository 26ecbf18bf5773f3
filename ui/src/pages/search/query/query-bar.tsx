// The query bar: a plain input at first, the editor as soon as it is loaded; below it, the error in the query.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ErrorBody } from "../../../api/call.ts";
import { Icon } from "../../../components/icon.tsx";
import { sentence } from "../states/empty-state.tsx";
import type { Editor, EditorEvents } from "./editor.ts";

/** Longest time that the editor waits for the first rows before it is loaded. */
const EDITOR_PAUSE_MS = 400;
/** A search that takes longer can be stopped; before that a button that changes would only flicker. */
const STOPPABLE_MS = 400;

export interface QueryFocus {
  focus(at?: number): void;
}

interface Props extends Omit<EditorEvents, "onSubmit" | "onChange"> {
  query: string;
  problem: ErrorBody | undefined;
  hints: string[];
  busy: boolean;
  onStop(): void;
  /** The text in the bar has not been searched yet. */
  stale: boolean;
  /** The bar has to show the query of the result. */
  unedited: boolean;
  onType(text: string): void;
  onSubmit(text: string): void;
  /** Receives the way to move the focus here. */
  onReady(focus: QueryFocus): void;
}

export function QueryBar(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const plainInput = useRef<HTMLInputElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const text = useRef(props.query);
  const latest = useRef(props);
  const [loaded, setLoaded] = useState(false);
  const [stoppable, setStoppable] = useState(false);
  latest.current = props;

  useEffect(() => {
    let closed = false;
    props.onReady({ focus: (at) => (editor.current ?? plainInput.current)?.focus(at) });
    const load = (): Promise<void> =>
      import("./editor.ts").then(({ openEditor }) => {
        if (closed || editor.current || !host.current) return;
        const focused = document.activeElement === plainInput.current;
        editor.current = openEditor(host.current, text.current, {
          onChange: typed,
          onSubmit: () => latest.current.onSubmit(text.current),
          onEscape: () => latest.current.onEscape(),
          columns: () => latest.current.columns(),
          values: (column, prefix) => latest.current.values(column, prefix),
          recent: () => latest.current.recent(),
        });
        // Shown now, not at the next render: a hidden editor cannot take the focus.
        host.current.hidden = false;
        setLoaded(true);
        if (focused) editor.current.focus(text.current.length);
      });
    // The first rows have priority; a user who wants to type does not wait for them.
    const timer = setTimeout(() => void load(), EDITOR_PAUSE_MS);
    plainInput.current?.addEventListener("focus", () => void load());
    return () => {
      closed = true;
      clearTimeout(timer);
      editor.current?.close();
    };
  }, []);

  useEffect(() => {
    if (!props.unedited) return;
    text.current = props.query;
    editor.current?.setText(props.query);
    if (plainInput.current) plainInput.current.value = props.query;
  }, [props.query, props.unedited]);

  useEffect(() => {
    setStoppable(false);
    if (!props.busy) return undefined;
    const timer = setTimeout(() => setStoppable(true), STOPPABLE_MS);
    return () => clearTimeout(timer);
  }, [props.busy]);

  useEffect(() => {
    const { position, length } = props.problem ?? {};
    editor.current?.setProblem(position === undefined ? undefined : { position, length: length ?? 1 });
  }, [props.problem, loaded]);

  function typed(value: string): void {
    text.current = value;
    latest.current.onType(value);
  }

  return (
    <div class="query">
      <div
        class={`query-field ${props.problem ? "wrong" : ""} ${props.stale ? "stale" : ""}`}
        onClick={() => (editor.current ?? plainInput.current)?.focus()}
      >
        <Icon name="search" />
        <div class="query-editor" ref={host} hidden={!loaded} />
        {!loaded && (
          <input
            class="query-plain mono"
            aria-label="Query"
            spellcheck={false}
            defaultValue={props.query}
            ref={plainInput}
            placeholder="Search all messages"
            onInput={(event) => typed(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && props.onSubmit(text.current)}
          />
        )}
        {props.stale && (
          <span class="query-stale" title="The result below is that of the earlier query; Esc brings it back">
            not searched yet: <span class="key">Enter</span>
          </span>
        )}
        {(props.query || props.stale) && (
          <button
            type="button"
            class="query-clear"
            title="Clear the query"
            aria-label="Clear the query"
            onClick={(event) => {
              event.stopPropagation();
              props.onSubmit("");
            }}
          >
            <Icon name="close" size={13} />
          </button>
        )}
        {stoppable ? (
          <button type="button" class="button outlined query-run" onClick={props.onStop}>
            Stop
          </button>
        ) : (
          <button type="button" class="button primary query-run" onClick={() => props.onSubmit(text.current)}>
            Search
          </button>
        )}
      </div>
      <QueryNote
        problem={props.problem}
        hints={props.hints}
        onShowProblem={() => editor.current?.focus(props.problem?.position)}
      />
    </div>
  );
}

function QueryNote({
  problem,
  hints,
  onShowProblem,
}: {
  problem: ErrorBody | undefined;
  hints: string[];
  onShowProblem: () => void;
}) {
  if (problem) {
    return (
      <p class="query-note wrong" role="alert">
        <Icon name="alert" size={14} /> {sentence(problem.message)}
        {problem.position !== undefined && (
          <button type="button" class="link-button" onClick={onShowProblem}>
            at {problem.position + 1}
          </button>
        )}
        {problem.suggestion && <span class="query-suggestion">{sentence(problem.suggestion)}</span>}
      </p>
    );
  }
  return hints.length ? <p class="query-note">{hints.map(sentence).join(" ")}</p> : null;
}
