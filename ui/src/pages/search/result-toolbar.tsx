// The result in one line: its count, time range and reliability; and the controls of its display.
import type { Explanation } from "../../api/explain.ts";
import type { SearchAnswer } from "../../api/search.ts";
import { Button } from "../../components/button.tsx";
import { Cost } from "./query-cost.tsx";
import { ShareMenu, type Share } from "./share-menu.tsx";
import { count } from "../../time/format.ts";

interface Props {
  answer: SearchAnswer | undefined;
  loading: boolean;
  wrap: boolean;
  railOpen: boolean;
  barsOpen: boolean;
  onWrap(): void;
  onRail(): void;
  onBars(): void;
  onShare(what: Share): void;
  /** Requests the cost of the question. */
  onCost(signal: AbortSignal): Promise<Explanation>;
}

export function ResultLine({ answer, loading, wrap, railOpen, barsOpen, ...on }: Props) {
  const { onWrap, onRail, onBars, onShare, onCost } = on;
  const cut = answer?.searched_from_us !== undefined;
  return (
    <div class="result-line">
      <Button
        icon="rail"
        title={railOpen ? "Hide the fields" : "Show the fields"}
        pressed={railOpen}
        onClick={onRail}
      />
      <p class="result-count" aria-live="polite">
        {answer && (
          <>
            {cut && "at least "}
            <b>{count(answer.total)}</b> {answer.total === 1 ? "message" : "messages"}
          </>
        )}
        {loading && !answer && "Searching\u2026"}
      </p>
      {answer && cut && (
        <p class="result-how cut" role="status">
          the time ran out: nothing received before {instant(answer.searched_from_us!)} was searched; choose a shorter
          time range
        </p>
      )}
      {answer && !cut && (
        <div class="result-how told">
          <p>of {count(answer.scanned)} searched in</p>
          <Cost key={answer.snapshot} tookMs={answer.took_ms} onAsk={onCost} />
          <p class="exact" title={snapshotTitle(answer)}>
            <span class="sep">·</span> exact
            {typeof answer.snapshot === "number" && ` as of #${answer.snapshot}`}
          </p>
        </div>
      )}
      <span class="grow" />
      <Button
        icon="bars"
        title={barsOpen ? "Hide the histogram" : "Show the histogram"}
        pressed={barsOpen}
        onClick={onBars}
      />
      <Button icon="wrap" title="Wrap long messages" shortcut="w" pressed={wrap} onClick={onWrap} />
      <ShareMenu onShare={onShare} />
    </div>
  );
}

function snapshotTitle({ snapshot }: SearchAnswer): string {
  const which = typeof snapshot === "number" ? `: the first ${count(snapshot)} messages of the logspace` : "";
  return `List, bars and facets are exact and show one snapshot${which}.`;
}

function instant(us: number): string {
  return new Date(us / 1000).toISOString();
}
