// The middle of the page: the result line, the bars, and the rows or the reason for an empty list.
import type { Zone } from "../../time/zone.ts";
import { zoneOffset } from "../../time/zone.ts";
import type { Actions } from "./actions.ts";
import { LiveLine } from "./live-status.tsx";
import { RowList } from "./list/message-list.tsx";
import type { SearchModel } from "./model/search-model.ts";
import { ResultLine } from "./result-toolbar.tsx";
import { ErrorState, NothingState, type EmptyEvents } from "./states/empty-state.tsx";
import { hasPipes } from "../../query/pipes.ts";
import { TableView } from "./table/table-view.tsx";
import { Histogram } from "./time/histogram.tsx";
import { UnreadLine } from "./unread-notice.tsx";

interface Props {
  page: SearchModel;
  actions: Actions;
  zone: Zone;
  dark: boolean;
  railOpen: boolean;
  barsOpen: boolean;
  /** Returns true if messages have a field of that name. */
  isField(name: string): boolean;
  onRail(): void;
  onBars(): void;
  onEditQuery(): void;
}

export function ResultPanel({ page, actions, zone, dark, railOpen, barsOpen, isField, ...on }: Props) {
  const view = page.view.value;
  const answer = page.answer.value;
  const error = page.error.value;
  const nothing = page.nothing.value;
  const live = page.live.value;
  const rows = page.rows.value;
  const length = live ? live.rows.value.length : (rows?.length.value ?? 0);
  const version = live ? 0 : (rows?.version.value ?? 0);
  const empty: EmptyEvents = {
    onRun: () => void page.run(),
    onClearQuery: () => actions.search(""),
    onNearest: actions.nearest,
    onEditQuery: on.onEditQuery,
    onNarrow: actions.narrow,
  };
  return (
    <main class="result">
      <ResultLine
        answer={error ? undefined : answer}
        loading={page.loading.value}
        wrap={view.wrap}
        railOpen={railOpen}
        barsOpen={barsOpen}
        onWrap={actions.wrap}
        onRail={on.onRail}
        onBars={on.onBars}
        onShare={actions.share}
        onCost={(signal) => page.explain(signal)}
      />
      {answer && !error && (
        <UnreadLine
          logspace={page.logspaces.value.find(({ name }) => name === page.logspace.value)}
          unread={answer.unread ?? []}
          zone={zone}
          onChange={() => void page.readLogspaces().then(() => page.run())}
        />
      )}
      {error ? (
        <ErrorState error={error} events={empty} />
      ) : (
        <>
          {answer?.bars && barsOpen && answer.total > 0 && (
            <Histogram bars={answer.bars} zone={zone} dark={dark} onZoom={actions.zoom} />
          )}
          {live && (
            <LiveLine
              live={live}
              onResume={() => {
                document.querySelector(".list")?.scrollTo({ top: 0 });
                actions.close();
                live.resume();
              }}
              onStop={actions.live}
            />
          )}
          {length === 0 && nothing && !live && <NothingState nothing={nothing} zone={zone} events={empty} />}
          {answer?.table && !live && answer.total > 0 && (
            <TableView table={answer.table} zone={zone} dark={dark} isField={isField} onMessages={actions.messages} />
          )}
          {length > 0 && (
            <RowList
              result={live ?? rows}
              length={length}
              total={live || hasPipes(view.query) ? length : (answer?.total ?? 0)}
              version={version}
              at={actions.rowAt}
              columns={page.columns.value}
              clock={view.clock}
              zone={zone}
              zoneName={zone === "utc" ? "UTC" : zoneOffset(Date.now() * 1000)}
              wrap={view.wrap}
              cursor={page.cursor.value}
              open={view.open}
              onWant={(first, last) => !live && rows?.want(first, last)}
              onPick={actions.pick}
              onColumns={actions.columns}
              onAway={(away) => live && (away ? live.pause() : view.open === undefined && live.resume())}
            />
          )}
          {rows?.failed.value && (
            <p class="rows-failed" role="alert">
              Some rows could not be loaded.{" "}
              <button type="button" class="linklike" onClick={() => rows.retry()}>
                Try again
              </button>
            </p>
          )}
        </>
      )}
    </main>
  );
}
