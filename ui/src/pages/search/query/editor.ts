// The query editor: CodeMirror 6, loaded after the first paint.
//
// In: a host element, the text, callbacks. Out: a handle to set the text, the focus and the marked problem.
// It lives in a shadow root: there its styles are adopted style sheets, which a strict Content-Security-Policy allows; in the
// document they would be an inline <style>.
import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionKeymap,
  completionStatus,
  moveCompletionSelection,
  selectedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  placeholder,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import { cursorContext, utf16Offset } from "../../../query/cursor.ts";
import { COMMANDS } from "../../../query/pipes.ts";
import { quoteField, quoteValue } from "../../../query/edit.ts";
import { tokenize } from "../../../query/tokens.ts";
import { HIDDEN, plainText } from "../../../text/hidden.ts";
import { shortNameOf } from "../../../text/names.ts";
import { formatCompact } from "../../../time/format.ts";
import { EDITOR_THEME } from "./editor-theme.ts";

export interface EditorEvents {
  onChange(text: string): void;
  onSubmit(): void;
  onEscape(): void;
  columns(): { name: string; documents: number }[];
  values(column: string, prefix: string): Promise<{ value: string; count: number }[]>;
  /** Earlier queries, newest first. */
  recent(): string[];
}

export interface Problem {
  position: number;
  length: number;
}

export interface Editor {
  setText(text: string): void;
  setProblem(problem: Problem | undefined): void;
  focus(at?: number): void;
  close(): void;
}

const setProblem = StateEffect.define<Problem | undefined>();
const problemMark = Decoration.mark({ class: "cm-problem" });

const problemField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) {
      if (!effect.is(setProblem)) continue;
      const text = change.state.doc.toString();
      if (!effect.value || text === "") return Decoration.none;
      // A mark needs a character: for a problem at the very end it is the last one.
      const from = Math.min(utf16Offset(text, effect.value.position), text.length - 1);
      const to = Math.min(
        text.length,
        Math.max(from + 1, utf16Offset(text, effect.value.position + effect.value.length)),
      );
      return Decoration.set([problemMark.range(from, to)]);
    }
    return change.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colors = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = colorsOf(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged) this.decorations = colorsOf(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function colorsOf(view: EditorView): DecorationSet {
  const marks = tokenize(view.state.doc.toString())
    .filter(({ kind }) => kind !== "term")
    .map(({ kind, from, to }) => Decoration.mark({ class: `tok-${kind}` }).range(from, to));
  return Decoration.set(marks);
}

/** Draws a character that cannot be seen as its name. */
function nameOfHidden(code: number): HTMLElement {
  const mark = document.createElement("span");
  mark.className = "cm-hidden-character";
  mark.textContent = shortNameOf(String.fromCodePoint(code));
  return mark;
}

/** A query is one line: pasted line breaks become spaces. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
  const text = transaction.newDoc.toString().replace(/\s*\n\s*/g, " ");
  return {
    changes: { from: 0, to: transaction.startState.doc.length, insert: text },
    selection: { anchor: text.length },
  };
});

/** Replaces a coloured selection when the user types over it: the browser would keep the colour as a forbidden inline style. */
const overwriteSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const plain = event.inputType === "insertText" && event.data !== null && !view.composing;
    if (!plain || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

export function openEditor(host: HTMLElement, text: string, events: EditorEvents): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true });
  const view = new EditorView({
    root,
    parent: root as unknown as HTMLElement,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Query", spellcheck: "false", autocapitalize: "off" }),
        placeholder('Search all messages:  failed  \u00b7  host:gw1  \u00b7  "port scan"  \u00b7  severity:<=warning'),
        oneLine,
        overwriteSelection,
        colors,
        problemField,
        highlightSpecialChars({ specialChars: HIDDEN, render: nameOfHidden }),
        autocompletion({
          override: [(context) => complete(context, events)],
          icons: false,
          selectOnOpen: false,
          maxRenderedOptions: 40,
          activateOnTypingDelay: 60,
          interactionDelay: 0,
        }),
        keymap.of([
          {
            key: "Tab",
            run: (target) =>
              completionStatus(target.state) === "active" &&
              (acceptCompletion(target) || (moveCompletionSelection(true)(target) && acceptCompletion(target))),
          },
          // In an empty bar: earlier queries.
          {
            key: "ArrowDown",
            run: (target) =>
              target.state.doc.length === 0 && completionStatus(target.state) === null && startCompletion(target),
          },
          ...completionKeymap,
          {
            key: "Enter",
            run: (target) => {
              // An option that was chosen with the arrows is taken; otherwise the query is searched.
              if (selectedCompletion(target.state) && acceptCompletion(target)) return true;
              closeCompletion(target);
              events.onSubmit();
              return true;
            },
          },
          {
            key: "Shift-Enter",
            run: () => {
              events.onSubmit();
              return true;
            },
          },
          {
            key: "Escape",
            run: () => {
              events.onEscape();
              return true;
            },
          },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) events.onChange(update.state.doc.toString());
        }),
        EDITOR_THEME,
      ],
    }),
  });
  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        selection: { anchor: next.length },
      });
      closeCompletion(view);
    },
    setProblem: (problem) => view.dispatch({ effects: setProblem.of(problem) }),
    focus(at) {
      view.focus();
      if (at !== undefined)
        view.dispatch({
          selection: { anchor: Math.min(utf16Offset(view.state.doc.toString(), at), view.state.doc.length) },
        });
    },
    close: () => view.destroy(),
  };
}

async function complete(context: CompletionContext, events: EditorEvents): Promise<CompletionResult | null> {
  const target = cursorContext(context.state.doc.toString(), context.pos);
  if (!target) return null;
  if (context.state.doc.length === 0) {
    const options = events.recent().map((query, rank): Completion => ({ label: query, boost: -rank }));
    return context.explicit && options.length ? { from: 0, options, filter: false } : null;
  }
  if (target.kind === "command") {
    const options = COMMANDS.map(([label, detail], rank): Completion => ({
      label,
      detail,
      boost: -rank,
      apply: `${label} `,
    }));
    return { from: target.from, options, validFor: /^[a-z]*$/ };
  }
  if (target.kind === "name") {
    if (target.prefix === "" && !context.explicit) return null;
    if (target.inPipe) {
      const names = events.columns().map(({ name, documents }): Completion => ({
        label: quoteField(name),
        detail: formatCompact(documents),
        type: "field",
      }));
      return { from: target.from, options: names, validFor: /^[\w.@-]*$/ };
    }
    const options = events.columns().map(({ name, documents }): Completion => ({
      label: `${quoteField(name)}:`,
      detail: formatCompact(documents),
      type: "field",
      apply: (view, _completion, from, to) => {
        const insert = `${quoteField(name)}:`;
        view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
        startCompletion(view);
      },
    }));
    return { from: target.from, options, validFor: /^[\w.@-]*$/ };
  }
  const values = await events.values(target.field, target.prefix.replace(/\*$/, ""));
  if (context.aborted) return null;
  const options = values.map(({ value, count }, rank): Completion => ({
    label: quoteValue(value),
    displayLabel: plainText(value),
    detail: formatCompact(count),
    boost: -rank,
  }));
  return { from: target.from, options, filter: false };
}
