// The search page: connects the state with the components.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import type { Session } from "../../api/session.ts";
import { Divider } from "../../components/divider.tsx";
import { activeFilter } from "../../query/edit.ts";
import {
  barsOpen,
  drawerOpen,
  isDark,
  paneWidth,
  sidebarOpen,
  sidebarWidth,
  toggleSidebar,
  zone,
} from "../../view/preferences.ts";
import { plainText } from "../../text/hidden.ts";
import { recentQueries } from "../../view/recent.ts";
import { Actions } from "./actions.ts";
import { DetailPane, type DetailEvents } from "./detail/detail-pane.tsx";
import { FacetSidebar } from "./facets/facet-sidebar.tsx";
import { Help } from "./help.tsx";
import { commandOf } from "./keyboard.ts";
import type { ListHandle } from "./list/message-list.tsx";
import { DetailModel } from "./model/detail-model.ts";
import { SearchModel } from "./model/search-model.ts";
import { SuggestModel } from "./model/suggest-model.ts";
import { QueryBar, type QueryFocus } from "./query/query-bar.tsx";
import { PackageDialog, type IncompletePackage } from "./package-dialog.tsx";
import { ResultPanel } from "./result-panel.tsx";
import { TimePicker } from "./time/time-picker.tsx";
import { Button } from "../../components/button.tsx";
import { SavedDialogs } from "./saved/saved-dialogs.tsx";
import { SavedMenu } from "./saved/saved-menu.tsx";
import { SavedModel } from "./saved/saved-model.ts";
import { TopBar } from "./top-bar.tsx";

const SIDEBAR_PX: [number, number] = [200, 440];
const PANE_PX: [number, number] = [340, 900];

interface Props {
  session: Session;
  logspaces: Logspace[];
  /** The session has ended; searches ask for a new login. */
  ended: boolean;
  onLogin: () => void;
  onLogout: () => void;
}

export function SearchPage({ session, logspaces, ended, onLogin, onLogout }: Props) {
  const page = useMemo(() => new SearchModel(logspaces), []);
  const detail = useMemo(() => new DetailModel(page), []);
  const suggest = useMemo(() => new SuggestModel(page), []);
  const saved = useMemo(() => new SavedModel(page), []);
  const queryBar = useRef<QueryFocus | undefined>(undefined);
  const list = useRef<ListHandle | undefined>(undefined);
  const pane = useRef<HTMLDivElement>(null);
  const [timeOpen, setTimeOpen] = useState(false);
  const [savedOpen, setSavedOpen] = useState(false);
  const [help, setHelp] = useState(false);
  const [incomplete, setPackage] = useState<IncompletePackage>();
  const actions = useMemo(
    () =>
      new Actions(page, session.user, {
        focusQuery: (at) => queryBar.current?.focus(at),
        focusList: () => {
          if (!pane.current?.contains(document.activeElement)) list.current?.focus();
        },
        toggleTime: () => setTimeOpen((open) => !open),
        showHelp: () => setHelp(true),
        confirmPackage: setPackage,
        toggleSaved: () => setSavedOpen((open) => !open),
        save: () => saved.save(),
      }),
    [],
  );

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const command = commandOf(event);
      if (!command) return;
      event.preventDefault();
      actions.run(command, document.activeElement);
    };
    document.addEventListener("keydown", onKeyDown);
    let stopped = false;
    void saved.openLink().then(() => !stopped && page.start());
    return () => {
      stopped = true;
      document.removeEventListener("keydown", onKeyDown);
      page.stop();
      detail.stop();
      suggest.stop();
      saved.stop();
    };
  }, []);

  const view = page.view.value;
  const title = saved.current.value?.name ?? view.query;
  useEffect(() => {
    document.title = title ? `${plainText(title)} \u00b7 Duramen` : "Duramen";
  }, [title]);

  const queryError =
    suggest.problem.value ?? (page.error.value?.code === "query_syntax" ? page.error.value : undefined);
  const answer = page.answer.value;
  const events = useMemo(() => detailEvents(actions, detail), []);
  return (
    <div class="page">
      <TopBar
        session={session}
        logspaces={page.logspaces.value}
        logspace={page.logspace.value}
        onLogspace={(logspace) => page.navigate({ logspace, open: undefined })}
        onHelp={() => setHelp(true)}
        ended={ended}
        onLogin={onLogin}
        onLogout={onLogout}
      >
        <SavedMenu
          saved={saved}
          open={savedOpen}
          onOpen={setSavedOpen}
          onCopyLink={(id) => void actions.copy(new URL(`o/${id}`, location.href.split("?")[0]).href, "Link")}
        />
      </TopBar>
      <div class="search-bar">
        <QueryBar
          query={view.query}
          problem={queryError}
          hints={suggest.hints.value.length ? suggest.hints.value : (answer?.hints ?? [])}
          busy={page.loading.value}
          onStop={() => page.stopSearch()}
          onType={(text) => {
            page.queryInput.value = text;
            suggest.check(text);
          }}
          onSubmit={actions.search}
          stale={page.isStale.value}
          unedited={page.queryInput.value === undefined}
          onEscape={() => (page.isStale.value ? page.restoreQuery() : (list.current ?? document.body).focus())}
          columns={() => suggest.columns.value}
          values={(column, prefix) => suggest.values(column, prefix)}
          recent={recentQueries}
          onReady={(focus) => (queryBar.current = focus)}
        />
        <TimePicker
          range={view.range}
          span={page.span.value}
          clock={view.clock}
          zone={zone.value}
          open={timeOpen}
          onOpen={setTimeOpen}
          onRange={actions.setRange}
          onClock={(clock) => page.navigate({ clock })}
          onZone={(name) => (zone.value = name)}
          onShift={actions.shift}
          onZoomOut={actions.zoomOut}
        />
        <Button
          title={view.live ? "Stop the live tail" : "Show messages as they arrive"}
          shortcut="l"
          kind="outlined"
          class={`live-button ${view.live ? "on" : ""}`}
          pressed={view.live}
          onClick={actions.toggleLive}
        >
          <span class="live-dot" aria-hidden="true" />
          Live
        </Button>
      </div>
      <div class={`panels ${view.open === undefined ? "" : "with-pane"} ${page.isStale.value ? "stale" : ""}`}>
        <div class="progress" role="progressbar" aria-label="Searching" hidden={!page.loading.value} />
        {sidebarOpen.value && (
          <>
            <div class="sidebar-frame" style={{ width: `${sidebarWidth.value}px` }}>
              <FacetSidebar
                facets={page.error.value ? [] : (answer?.facets ?? [])}
                open={page.facetColumns.value}
                columns={suggest.columns.value}
                shown={view.columns}
                total={page.error.value ? 0 : (answer?.total ?? 0)}
                activeFilter={(column, value) => activeFilter(view.query, column, value)}
                onFilter={(...filter) => {
                  drawerOpen.value = false;
                  actions.toggleFilter(...filter);
                }}
                onOpen={(columns) => page.setFacets(columns)}
                onColumn={actions.toggleColumn}
                loadAll={(column) => suggest.facet(column)}
              />
            </div>
            <Divider
              label="Width of the fields"
              width={sidebarWidth}
              min={SIDEBAR_PX[0]}
              max={SIDEBAR_PX[1]}
              grows="right"
            />
          </>
        )}
        <ResultPanel
          session={session}
          page={page}
          actions={actions}
          zone={zone.value}
          dark={isDark()}
          list={list}
          savedName={saved.current.value?.name}
          onSidebar={toggleSidebar}
          onBars={() => (barsOpen.value = !barsOpen.value)}
          sidebarOpen={sidebarOpen.value}
          barsOpen={barsOpen.value}
          isField={(name) => suggest.columns.value.some((column) => column.name === name)}
          onEditQuery={() => queryBar.current?.focus(queryError?.position)}
        />
        {view.open !== undefined && (
          <>
            <Divider
              label="Width of the message pane"
              width={paneWidth}
              min={PANE_PX[0]}
              max={PANE_PX[1]}
              grows="left"
            />
            <div class="pane-frame" ref={pane} style={{ width: `${paneWidth.value}px` }}>
              <DetailPane
                open={view.open}
                message={detail.message.value}
                row={actions.rowAt(page.cursor.value.row)}
                error={detail.error.value}
                tab={view.tab}
                clock={view.clock}
                zone={zone.value}
                columns={view.columns}
                context={{
                  rows: detail.context.value,
                  anchor: detail.anchor.value,
                  same: detail.same.value,
                  before: detail.before.value,
                  after: detail.after.value,
                }}
                activeFilter={(column, value) => activeFilter(view.query, column, value)}
                events={events}
              />
            </div>
          </>
        )}
      </div>
      {incomplete && (
        <PackageDialog
          package={incomplete}
          onDownload={() => {
            setPackage(undefined);
            actions.downloadPackage(incomplete.made);
          }}
          onSeal={() => {
            setPackage(undefined);
            void actions.sealAndPackage();
          }}
          onClose={() => setPackage(undefined)}
        />
      )}
      <SavedDialogs
        saved={saved}
        stale={page.isStale.value}
        first={page.logspaces.value[0]?.name ?? ""}
        zone={zone.value}
      />
      {help && <Help onClose={() => setHelp(false)} />}
      <p class={`notice ${page.notice.value ? "on" : ""}`} role="status">
        {page.notice.value}
      </p>
    </div>
  );
}

function detailEvents(actions: Actions, detail: DetailModel): DetailEvents {
  return {
    onTab: actions.setTab,
    onClose: actions.close,
    onStep: actions.moveRow,
    onFilter: actions.toggleFilter,
    onColumn: actions.toggleColumn,
    onCopy: (text, what) => void actions.copy(text, what),
    onWord: actions.addWord,
    onOpen: actions.open,
    onSame: (same) => (detail.same.value = same),
    onMore: (side) => detail.more(side),
  };
}
