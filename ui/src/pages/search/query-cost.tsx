// The time that an answer took; a click explains it: the work of the index for each part, and the messages
// read.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, isAborted } from "../../api/call.ts";
import type { ExplainedPart, Explanation, Reads } from "../../api/explain.ts";
import { Popover } from "../../components/popover.tsx";
import { bytes, count, duration } from "../../time/format.ts";

const READS: Record<Reads, string> = {
  parts: "",
  nothing: "nothing",
  words: "index of words",
  columns: "columns",
  text: "text of messages",
};

interface Props {
  tookMs: number;
  onAsk(signal: AbortSignal): Promise<Explanation>;
}

export function Cost({ tookMs, onAsk }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onClose={() => setOpen(false)}
      label="What this question costs"
      class="cost"
      anchor={
        <button
          type="button"
          class="linklike cost-time"
          title="What this question costs"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {time(tookMs)}
        </button>
      }
    >
      <Told onAsk={onAsk} />
    </Popover>
  );
}

function Told({ onAsk }: Pick<Props, "onAsk">) {
  const [told, setTold] = useState<Explanation | string>();
  useEffect(() => {
    const request = new AbortController();
    onAsk(request.signal).then(setTold, (cause: unknown) => {
      if (!isAborted(cause)) setTold(cause instanceof ApiError ? cause.body.message : String(cause));
    });
    return () => request.abort();
  }, []);
  if (told === undefined) return <p class="cost-line">Asking the index{"\u2026"}</p>;
  if (typeof told === "string") return <p class="cost-line wrong">{told}</p>;
  const skipped = told.skipped_by_time > 0 ? ` (${count(told.skipped_by_time)} skipped by time)` : "";
  return (
    <>
      <p class="cost-line" tabIndex={-1}>
        {count(told.messages)} messages in {count(told.segments)} {told.segments === 1 ? "segment" : "segments"}
        {skipped}. The index takes {time(told.index_ms)}; {textRead(told)}
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
        <tbody>{lines(told.tree, 0)}</tbody>
      </table>
      {told.pipes.length > 0 && <p class="cost-line">Then: {told.pipes.join(" ")}</p>}
    </>
  );
}

function textRead({ messages_read, blocks_read, bytes_read }: Explanation): string {
  if (messages_read === 0) return "no text is read.";
  const blocks = `${count(blocks_read)} ${blocks_read === 1 ? "block" : "blocks"}`;
  return `the text of ${count(messages_read)} messages is read: ${blocks}, ${bytes(bytes_read)}.`;
}

function lines(part: ExplainedPart, depth: number): JSX.Element[] {
  const { asks, reads, words, postings, messages, undecided, took_ms, parts } = part;
  const own = (
    <tr>
      <td class={`mono depth-${Math.min(depth, 6)}`}>{asks}</td>
      <td>{READS[reads]}</td>
      <td class="number">{words === undefined ? "" : count(words)}</td>
      <td class="number">{postings === undefined ? "" : count(postings)}</td>
      <td class="number" title={undecided > 0 ? `${count(undecided)} of them only their text decides` : undefined}>
        {undecided > 0 && "\u2264\u2009"}
        {count(messages)}
      </td>
      <td class="number">{time(took_ms)}</td>
    </tr>
  );
  return [own, ...(parts ?? []).flatMap((inner) => lines(inner, depth + 1))];
}

function time(ms: number): string {
  return duration(Math.max(1, Math.round(ms * 1000)));
}
