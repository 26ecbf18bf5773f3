// The time that an answer took. A click explains it: the work of the index for each part of the query, and the
// messages that were read.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, isAborted } from "../../api/call.ts";
import type { ExplainedPart, Explanation, Reads } from "../../api/explain.ts";
import { Popover } from "../../components/popover.tsx";
import { formatBytes, formatCount, formatDuration } from "../../time/format.ts";

const READS: Record<Reads, string> = {
  parts: "",
  nothing: "nothing",
  words: "index of words",
  columns: "columns",
  text: "text of messages",
};

interface Props {
  tookMs: number;
  onExplain(signal: AbortSignal): Promise<Explanation>;
}

export function QueryCost({ tookMs, onExplain }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onClose={() => setOpen(false)}
      label="What this query costs"
      class="cost"
      anchor={
        <button
          type="button"
          class="link-button cost-time"
          title="What this query costs"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {formatMs(tookMs)}
        </button>
      }
    >
      <CostDetails onExplain={onExplain} />
    </Popover>
  );
}

function CostDetails({ onExplain }: Pick<Props, "onExplain">) {
  const [explanation, setExplanation] = useState<Explanation | string>();
  useEffect(() => {
    const request = new AbortController();
    onExplain(request.signal).then(setExplanation, (cause: unknown) => {
      if (!isAborted(cause)) setExplanation(cause instanceof ApiError ? cause.body.message : String(cause));
    });
    return () => request.abort();
  }, []);
  if (explanation === undefined) return <p class="cost-line">Asking the index{"\u2026"}</p>;
  if (typeof explanation === "string") return <p class="cost-line wrong">{explanation}</p>;
  const skipped =
    explanation.skipped_by_time > 0 ? ` (${formatCount(explanation.skipped_by_time)} skipped by time)` : "";
  return (
    <>
      <p class="cost-line" tabIndex={-1}>
        {formatCount(explanation.messages)} messages in {formatCount(explanation.segments)}{" "}
        {explanation.segments === 1 ? "segment" : "segments"}
        {skipped}. The index takes {formatMs(explanation.index_ms)}; {textRead(explanation)}
      </p>
      <table class="cost-table">
        <thead>
          <tr>
            <th>part</th>
            <th>reads</th>
            <th class="number">words</th>
            <th class="number">postings</th>
            <th class="number">messages</th>
            <th class="number">time</th>
          </tr>
        </thead>
        <tbody>{tableRows(explanation.tree, 0)}</tbody>
      </table>
      {explanation.pipes.length > 0 && <p class="cost-line">Then: {explanation.pipes.join(" ")}</p>}
    </>
  );
}

function textRead({ messages_read, blocks_read, bytes_read }: Explanation): string {
  if (messages_read === 0) return "no text is read.";
  const blocks = `${formatCount(blocks_read)} ${blocks_read === 1 ? "block" : "blocks"}`;
  return `the text of ${formatCount(messages_read)} messages is read: ${blocks}, ${formatBytes(bytes_read)}.`;
}

function tableRows(part: ExplainedPart, depth: number): JSX.Element[] {
  const { asks, reads, words, postings, messages, undecided, took_ms, parts } = part;
  const own = (
    <tr>
      <td class={`mono depth-${Math.min(depth, 6)}`}>{asks}</td>
      <td>{READS[reads]}</td>
      <td class="number">{words === undefined ? "" : formatCount(words)}</td>
      <td class="number">{postings === undefined ? "" : formatCount(postings)}</td>
      <td
        class="number"
        title={undecided > 0 ? `${formatCount(undecided)} of them can only be decided by their text` : undefined}
      >
        {undecided > 0 && "\u2264\u2009"}
        {formatCount(messages)}
      </td>
      <td class="number">{formatMs(took_ms)}</td>
    </tr>
  );
  return [own, ...(parts ?? []).flatMap((inner) => tableRows(inner, depth + 1))];
}

function formatMs(ms: number): string {
  return formatDuration(Math.max(1, Math.round(ms * 1000)));
}
