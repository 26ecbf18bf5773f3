// The result in one line: how many messages, out of how many, and how exact; and the buttons that change how it is shown.
import type { Explanation } from "../../api/explain.ts";
import type { Logspace } from "../../api/logspaces.ts";
import type { SearchAnswer } from "../../api/search.ts";
import { Button } from "../../components/button.tsx";
import { QueryCost } from "./query-cost.tsx";
import { ShareMenu, type ShareAction } from "./share-menu.tsx";
import { formatCount } from "../../time/format.ts";

interface Props {
  answer: SearchAnswer | undefined;
  loading: boolean;
  wrap: boolean;
  sidebarOpen: boolean;
  barsOpen: boolean;
  onWrap(): void;
  onSidebar(): void;
  onBars(): void;
  share: { logspace: string; may: Logspace["may"]; stale: boolean; onSearch(): void };
  onShare(what: ShareAction): void;
  /** True when rules can watch the logspace. */
  rules: boolean;
  onRule(): void;
  /** Explains what the query costs. */
  onExplain(signal: AbortSignal): Promise<Explanation>;
}

export function ResultToolbar({ answer, loading, wrap, sidebarOpen, barsOpen, share, rules, ...on }: Props) {
  const { onWrap, onSidebar, onBars, onShare, onRule, onExplain } = on;
  const isPartial = answer?.searched_from_us !== undefined;
  return (
    <div class="result-toolbar">
      <Button
        icon="sidebar"
        title={sidebarOpen ? "Hide the fields" : "Show the fields"}
        pressed={sidebarOpen}
        onClick={onSidebar}
      />
      <p class="result-count" aria-live="polite">
        {answer && (
          <>
            {isPartial && "at least "}
            <b>{formatCount(answer.total)}</b> {answer.total === 1 ? "message" : "messages"}
            {answer.table && (
              <>
                {" in "}
                {answer.table.more && "more than "}
                <b>{formatCount(answer.table.rows.length)}</b> {answer.table.rows.length === 1 ? "row" : "rows"}
              </>
            )}
          </>
        )}
        {loading && !answer && "Searching\u2026"}
      </p>
      {answer && isPartial && (
        <p class="result-summary partial" role="status">
          time limit reached: messages received before {isoTime(answer.searched_from_us!)} were not searched; choose a
          shorter time range
        </p>
      )}
      {answer && !isPartial && (
        <div class="result-summary complete">
          <p>of {formatCount(answer.scanned)} searched in</p>
          <QueryCost key={answer.snapshot} tookMs={answer.took_ms} onExplain={onExplain} />
          <p class="exact" title={snapshotTitle(answer)}>
            <span class="sep">·</span> exact
            {typeof answer.snapshot === "number" && `, snapshot #${formatCount(answer.snapshot)}`}
          </p>
        </div>
      )}
      <span class="spacer" />
      <Button
        icon="bars"
        title={barsOpen ? "Hide the histogram" : "Show the histogram"}
        pressed={barsOpen}
        onClick={onBars}
      />
      <Button icon="wrap" title="Wrap long messages" shortcut="w" pressed={wrap} onClick={onWrap} />
      <Button
        icon="bell"
        title={rules ? "Make a rule that watches for these messages" : "Rules watch local logspaces: choose one"}
        disabled={!rules}
        onClick={onRule}
      >
        <span class="share-label">Alert</span>
      </Button>
      <ShareMenu {...share} onShare={onShare} />
    </div>
  );
}

function snapshotTitle({ snapshot }: SearchAnswer): string {
  const which = typeof snapshot === "number" ? `: the first ${formatCount(snapshot)} messages of the logspace` : "";
  return `List, bars and facets are exact and from one snapshot${which}.`;
}

function isoTime(us: number): string {
  return new Date(us / 1000).toISOString();
}
