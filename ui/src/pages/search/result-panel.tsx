// The middle of the page: the toolbar, the histogram, and the rows or the reason for an empty list.
import { needsYear } from "../../time/format.ts";
import type { Session } from "../../api/session.ts";
import type { Zone } from "../../time/zone.ts";
import { zoneOffsets } from "../../time/zone.ts";
import type { Actions } from "./actions.ts";
import { LiveStatus, LiveTable } from "./live-status.tsx";
import { MessageList, type ListHandle } from "./list/message-list.tsx";
import { LIVE_REFRESH_MS, type SearchModel } from "./model/search-model.ts";
import { ResultToolbar } from "./result-toolbar.tsx";
import { ErrorState, EmptyState, type EmptyEvents } from "./states/empty-state.tsx";
import { messagesBehind } from "../../query/behind.ts";
import { hasPipes, splitPipes } from "../../query/pipes.ts";
import { earlierNote } from "./table/comparison.ts";
import { TableView } from "./table/table-view.tsx";
import { Histogram } from "./time/histogram.tsx";
import { UnreadNotice } from "./unread-notice.tsx";
import { pointSearch } from "./views/point-search.ts";
import { chartFor, comparedChart, DrawnChart, ResultChart } from "./views/result-chart.tsx";
import { ViewBar } from "./views/view-bar.tsx";
import { viewOf } from "./views/views.ts";
import type { ChartData } from "../dashboards/charts/chart-data.ts";
import type { Point } from "../dashboards/charts/plot.tsx";

interface Props {
  session: Session;
  page: SearchModel;
  actions: Actions;
  zone: Zone;
  dark: boolean;
  sidebarOpen: boolean;
  barsOpen: boolean;
  /** Returns true if messages have a field of that name. */
  isField(name: string): boolean;
  /** The name of the saved search that is shown. */
  savedName: string | undefined;
  /** Set to the list while there is one. */
  list: { current: ListHandle | undefined };
  onSidebar(): void;
  onBars(): void;
  onEditQuery(): void;
}

export function ResultPanel({
  session,
  page,
  actions,
  zone,
  dark,
  sidebarOpen,
  barsOpen,
  list,
  isField,
  savedName,
  ...on
}: Props) {
  const view = page.view.value;
  const answer = page.answer.value;
  const error = page.error.value;
  const emptyReason = page.emptyReason.value;
  const live = page.live.value;
  const rows = page.rows.value;
  const length = live ? live.rows.value.length : (rows?.length.value ?? 0);
  const version = live ? 0 : (rows?.version.value ?? 0);
  const emptyEvents: EmptyEvents = {
    onRun: () => void page.run(),
    onClearQuery: () => actions.search(""),
    onNearest: actions.showAround,
    onEditQuery: on.onEditQuery,
    onNarrow: actions.narrowRange,
    listeners: session.listeners,
    logspaces: page.logspaces.value.map(({ name }) => name),
    onLogspace: (logspace) => page.navigate({ logspace }),
  };
  const shownView = viewOf(view.query, view.chart);
  const compared = answer && shownView === "compare" ? comparedChart(answer) : undefined;
  const openPoint = (data: ChartData, point: Point): void => {
    if (answer) page.navigate(pointSearch({ view, logspace: page.logspace.value, answer, isField }, data, point));
  };
  const charted = {
    title: splitPipes(view.query).pipes.slice(1).trim(),
    onOpen: openPoint,
    onFilter: (data: ChartData, index: number) => openPoint(data, { series: 0, index }),
  };
  return (
    <main class="result">
      <ResultToolbar
        answer={error ? undefined : answer}
        loading={page.loading.value}
        wrap={view.wrap}
        sidebarOpen={sidebarOpen}
        barsOpen={barsOpen}
        onWrap={actions.toggleWrap}
        onSidebar={on.onSidebar}
        onBars={on.onBars}
        share={{
          logspace: page.logspace.value,
          may: page.rights.value,
          stale: page.isStale.value,
          onSearch: actions.searchTyped,
        }}
        onShare={actions.share}
        rules={page.logspaces.value.find(({ name }) => name === page.logspace.value)?.kind === "local"}
        onRule={actions.makeRule}
        onExplain={(signal) => page.explain(signal)}
      />
      <ViewBar page={page} savedName={savedName} />
      {answer && !error && (
        <UnreadNotice
          logspace={page.logspaces.value.find(({ name }) => name === page.logspace.value)}
          unread={answer.unread ?? []}
          zone={zone}
          onChange={() => void page.readLogspaces().then(() => page.run())}
        />
      )}
      {error ? (
        <ErrorState error={error} events={emptyEvents} />
      ) : (
        <>
          {answer?.bars && barsOpen && answer.total > 0 && (
            <Histogram bars={answer.bars} zone={zone} dark={dark} onZoom={actions.zoom} />
          )}
          {live && (
            <LiveStatus
              live={live}
              onResume={() => {
                list.current?.scrollToTop();
                actions.close();
                live.resume();
              }}
              onStop={actions.toggleLive}
            />
          )}
          {view.live && hasPipes(view.query) && (
            <LiveTable seconds={LIVE_REFRESH_MS / 1_000} onStop={actions.toggleLive} />
          )}
          {length === 0 && emptyReason && !live && <EmptyState reason={emptyReason} zone={zone} events={emptyEvents} />}
          {answer?.table && !live && answer.total > 0 && shownView === "chart" && (
            <ResultChart {...charted} answer={answer} kind={chartFor(answer, view.chart)} />
          )}
          {answer?.table && !live && answer.total > 0 && shownView !== "chart" && (
            <TableView
              table={answer.table}
              drawn={compared && <DrawnChart {...charted} data={compared} kind="line" />}
              span={page.span.value}
              onZoom={actions.zoom}
              zone={zone}
              dark={dark}
              isDoor={(column, value) => messagesBehind(view.query, column, value, isField) !== undefined}
              note={comparisonNote(page, zone)}
              onMessages={(column, value) => {
                const query = messagesBehind(view.query, column, value, isField);
                if (query !== undefined) actions.search(query);
              }}
            />
          )}
          {length > 0 && (
            <MessageList
              onReady={(handle) => (list.current = handle)}
              result={live ?? rows}
              length={length}
              total={live || hasPipes(view.query) ? length : (answer?.total ?? 0)}
              version={version}
              at={actions.rowAt}
              columns={page.columns.value}
              clock={view.clock}
              zone={zone}
              zoneName={zone === "utc" ? "UTC" : zoneOffsets(...shownTimes(page))}
              years={needsYear(page.currentSpan(), Date.now() * 1000, zone)}
              wrap={view.wrap}
              cursor={page.cursor.value}
              open={view.open}
              onVisibleRows={(first, last) => !live && rows?.setVisible(first, last)}
              onSelect={actions.selectCell}
              onColumns={actions.setColumns}
              onScrollAway={(away) => live && (away ? live.pause() : view.open === undefined && live.resume())}
            />
          )}
          {rows?.failed.value && (
            <p class="rows-failed" role="alert">
              Some rows could not be loaded.{" "}
              <button type="button" class="link-button" onClick={() => rows.retry()}>
                Try again
              </button>
            </p>
          )}
        </>
      )}
    </main>
  );
}

/** The first and the last time of the result, of which the list shows the offsets. */
function shownTimes(page: SearchModel): [number, number] {
  const { fromUs, toUs } = page.currentSpan();
  return [fromUs, toUs];
}

/** Warns when the table compares with a time before the oldest message. */
function comparisonNote(page: SearchModel, zone: Zone): string | undefined {
  const oldestUs = page.logspaces.value.find(({ name }) => name === page.logspace.value)?.oldest_us;
  const span = page.span.value;
  return span && oldestUs ? earlierNote(page.view.value.query, span, oldestUs, zone) : undefined;
}
