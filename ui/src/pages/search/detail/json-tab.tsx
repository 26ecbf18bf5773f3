// The message as the API's JSON, with a button that copies it.
import type { FullRow } from "../../../api/message.ts";
import { escapeJson } from "../../../text/hidden.ts";

export function JsonTab({ message, onCopy }: { message: FullRow; onCopy: (text: string, what: string) => void }) {
  const { highlights: _highlights, raw_base64: _raw, tokens: _tokens, ...fields } = message;
  const text = escapeJson(JSON.stringify(fields, null, 2));
  return (
    <>
      <div class="tab-tools">
        <span class="spacer" />
        <button type="button" class="chip" onClick={() => onCopy(text, "JSON")}>
          Copy
        </button>
      </div>
      <pre class="raw mono">{colored(text)}</pre>
    </>
  );
}

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?)|(true|false|null)/g;

function colored(text: string) {
  const parts: preact.ComponentChildren[] = [];
  let at = 0;
  for (const hit of text.matchAll(TOKEN)) {
    parts.push(text.slice(at, hit.index));
    const kind = hit[1] ? (hit[2] ? "json-name" : "json-text") : "json-number";
    parts.push(<span class={kind}>{hit[1] ?? hit[0]}</span>, hit[2] ?? "");
    at = hit.index + hit[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}
