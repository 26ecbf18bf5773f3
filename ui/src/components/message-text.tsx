// A message's text with its matches highlighted, cut when it is long.
import { useState } from "preact/hooks";

/** One-line rows show this many characters at most; more would only be drawn to be hidden. */
const LINE_CHARACTERS_MAX = 1_200;
const CUT_CHARACTERS = 2_048;

interface Props {
  text: string;
  highlights?: readonly (readonly [number, number])[] | undefined;
  /** On one line: no breaks, no "show rest". */
  singleLine?: boolean;
}

export function MessageText({ text, highlights, singleLine }: Props) {
  const [expanded, setExpanded] = useState(false);
  const limit = singleLine ? LINE_CHARACTERS_MAX : expanded ? text.length : CUT_CHARACTERS;
  const shown = text.length > limit ? text.slice(0, limit) : text;
  const rest = text.length - shown.length;
  return (
    <>
      {highlighted(singleLine ? shown.replace(/[\r\n\t]/g, visibleBreak) : shown, highlights ?? [])}
      {!singleLine && rest > 0 && (
        <button
          type="button"
          class="show-rest"
          onClick={(event) => {
            event.stopPropagation();
            setExpanded(true);
          }}
        >
          show rest ({rest.toLocaleString("en")} characters)
        </button>
      )}
    </>
  );
}

/** Replaces characters one for one, so that highlights stay in position. */
function visibleBreak(character: string): string {
  return character === "\t" ? "\u2192" : character === "\n" ? "\u21b5" : " ";
}

function highlighted(text: string, highlights: readonly (readonly [number, number])[]) {
  if (highlights.length === 0) return text;
  const parts: preact.ComponentChildren[] = [];
  let at = 0;
  for (const [start, length] of highlights) {
    const from = Math.max(at, start);
    const to = Math.min(text.length, start + length);
    if (to <= from) continue;
    if (from > at) parts.push(text.slice(at, from));
    parts.push(<mark class="highlight">{text.slice(from, to)}</mark>);
    at = to;
  }
  parts.push(text.slice(at));
  return parts;
}
