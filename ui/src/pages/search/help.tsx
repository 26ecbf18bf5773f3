// The keyboard shortcuts and the query language on one page.
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { PAGE_SHORTCUTS, SHORTCUTS } from "./keyboard.ts";

const EXAMPLES: [string, string][] = [
  ["failed password", "both words, in any order"],
  ['"port scan"', "the words next to each other"],
  ["host:gw1 program:sshd", "fields"],
  ["(a OR b) NOT c", "combined; a space means AND"],
  ["appl*, us?r, *pple", "* for any characters, ? for one"],
  ["severity:<=warning", "warning and worse"],
  ["bytes:[100 TO 200}", "from 100 up to but not including 200"],
  ["peer:10.0.0.0/8", "addresses in a network"],
  ["host:/gw[0-9]+/", "a regular expression"],
  ["_exists_:srcip", "messages that have the field"],
  ["failed | top host", "a pipe: the most frequent values"],
  ["* | stats count() by host", "numbers by value"],
  ["err | timechart 5m count()", "numbers over time"],
  ["* | patterns", "texts that messages have in common"],
];

const KEY_LABELS: Record<string, string> = {
  ArrowDown: "\u2193",
  ArrowUp: "\u2191",
  ArrowRight: "\u2192",
  ArrowLeft: "\u2190",
  Escape: "Esc",
  PageDown: "Page \u2193",
  PageUp: "Page \u2191",
};

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class="help"
      ref={dialog}
      aria-label="Help"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="help-body">
        <header>
          <h2>Keyboard and query</h2>
          <span class="spacer" />
          <Button icon="close" title="Close" shortcut="Esc" onClick={onClose} />
        </header>
        <div class="help-columns">
          <dl>
            {[...SHORTCUTS, ...PAGE_SHORTCUTS].map(({ keys, description }) => (
              <div>
                <dt>
                  {keys.map((key) => (
                    <kbd class="key">{KEY_LABELS[key] ?? key}</kbd>
                  ))}
                </dt>
                <dd>{description}</dd>
              </div>
            ))}
          </dl>
          <dl class="help-query">
            {EXAMPLES.map(([query, meaning]) => (
              <div>
                <dt class="mono">{query}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </div>
        <p class="help-footer">
          All of the language is in <a href="manual/manual/query-language.html">the manual</a>. Duramen is free software
          under the Apache License 2.0. This page also contains{" "}
          <a href="licences.txt" target="_blank" rel="noreferrer">
            third-party software
          </a>
          .
        </p>
      </div>
    </dialog>
  );
}
