// A message's text with its matches highlighted, cut when it is long.
import { useState } from "preact/hooks";
import { formatCount } from "../time/format.ts";
import { VisibleText } from "./visible-text.tsx";
import type { Breaks } from "../text/hidden.ts";

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
      {highlighted(shown, highlights ?? [], singleLine ? "named" : "kept")}
      {!singleLine && rest > 0 && (
        <button
          type="button"
          class="show-rest"
          onClick={(event) => {
            event.stopPropagation();
            setExpanded(true);
          }}
        >
          show rest ({formatCount(rest)} characters)
        </button>
      )}
    </>
  );
}

function highlighted(text: string, highlights: readonly (readonly [number, number])[], breaks: Breaks) {
  const parts: preact.ComponentChildren[] = [];
  let at = 0;
  for (const [start, length] of highlights) {
    const from = Math.max(at, start);
    const to = Math.min(text.length, start + length);
    if (to <= from) continue;
    if (from > at) parts.push(<VisibleText text={text.slice(at, from)} breaks={breaks} />);
    parts.push(
      <mark class="highlight">
        <VisibleText text={text.slice(from, to)} breaks={breaks} />
      </mark>,
    );
    at = to;
  }
  if (at < text.length) parts.push(<VisibleText text={text.slice(at)} breaks={breaks} />);
  return parts;
}
