// One dashboard: its object, the answers of its panels, the draft while it is edited.
//
// In: an id, the view of the URL. Out: signals. Holds: the last good answer of each panel, also when a later one failed.
// Limits: one run at a time, an earlier one is aborted; hidden pages do not refresh themselves.
import { batch, computed, signal } from "@preact/signals";
import { ApiError, bodyOf } from "../../api/call.ts";
import {
  changeDashboard,
  createDashboard,
  readDashboard,
  runDashboard,
  runDraft,
  shareDashboard,
  type Dashboard,
  type DashboardSpec,
  type PanelAnswer,
  type RunAnswer,
  type RunRequest,
} from "../../api/dashboards.ts";
import { listAlerts, type Alert } from "../../api/alerts.ts";
import type { SearchAnswer } from "../../api/search.ts";
import { encodeBoardView, type BoardView } from "../../view/board-view.ts";
import { showDashboard } from "../../navigation/location.ts";

/** Alerts that are read at a time, and how often; the newest are marked. */
const ALERT_PAGE = 200;
const ALERT_PAGES_MAX = 5;

/** Returns true for an answer that a chart over time is drawn from. */
const isTimed = ({ table, bars }: SearchAnswer): boolean =>
  table ? table.columns[0] === "time" : (bars?.counts.length ?? 0) > 0;

/** Seconds between two answers on a wall, for a dashboard that does not say it. */
const KIOSK_REFRESH_S = 60;

export interface PanelState {
  /** The last answer. */
  shown?: PanelAnswer;
  takenUs?: number;
  /** Set while `shown` is older than the last attempt. */
  error?: ApiError["body"];
}

/** What somebody else has saved meanwhile. */
export interface Conflict {
  current: Dashboard;
}

export class BoardModel {
  readonly object = signal<Dashboard>();
  readonly error = signal<ApiError["body"]>();
  readonly view;
  readonly panels = signal<ReadonlyMap<string, PanelState>>(new Map());
  /** The alerts of the times that are shown, as far as the user may see them. */
  readonly alerts = signal<Alert[]>([]);
  readonly takenUs = signal<number>();
  readonly busy = signal(false);
  readonly draft = signal<{ name: string; spec: DashboardSpec }>();
  readonly conflict = signal<Conflict>();
  readonly notice = signal("");
  readonly refreshS = signal(0);
  /** The dashboard that is shown: the draft while it is edited. */
  readonly spec = computed(() => this.draft.value?.spec ?? this.object.value?.spec);
  private running: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly id: string,
    view: BoardView,
  ) {
    this.view = signal(view);
  }

  async start(): Promise<void> {
    try {
      const object = await readDashboard(this.id);
      batch(() => {
        this.object.value = object;
        this.refreshS.value = object.spec.refresh_s || (this.view.value.kiosk ? KIOSK_REFRESH_S : 0);
      });
      document.title = `${object.name} \u00b7 Duramen`;
      await this.run();
    } catch (cause) {
      this.error.value = bodyOf(cause);
    }
  }

  stop(): void {
    this.running?.abort();
    clearTimeout(this.timer);
  }

  /** Changes the view, which the URL holds, and searches again. */
  show(view: BoardView): void {
    this.view.value = view;
    showDashboard(this.id, encodeBoardView(view));
    void this.run();
  }

  /** Shows the dashboard alone, as on a wall; it refreshes itself. */
  enterKiosk(): void {
    if (this.refreshS.value === 0) this.refreshS.value = KIOSK_REFRESH_S;
    this.show({ ...this.view.value, kiosk: true });
  }

  leaveKiosk(): void {
    this.show({ ...this.view.value, kiosk: false });
  }

  setRefresh(seconds: number): void {
    this.refreshS.value = seconds;
    this.plan();
  }

  /** Searches for all panels. */
  async run(origin: "user" | "timer" = "user"): Promise<void> {
    const spec = this.spec.value;
    if (!spec) return;
    this.running?.abort();
    const own = new AbortController();
    this.running = own;
    this.busy.value = true;
    try {
      const request = requestOf(this.view.value, spec);
      const answer = this.draft.value
        ? await runDraft(spec, request, own.signal)
        : await runDashboard(this.id, request, own.signal, origin === "timer" ? "report" : "ask");
      this.take(answer);
      void this.readAlerts(answer, own.signal);
    } catch (cause) {
      if (own.signal.aborted) return;
      this.fail(bodyOf(cause));
    } finally {
      if (this.running === own) {
        this.busy.value = false;
        this.plan();
      }
    }
  }

  /** Reads the alerts since the first time that a chart shows. Charts without them are worth more than none. */
  private async readAlerts({ panels }: RunAnswer, abort: AbortSignal): Promise<void> {
    const starts = panels.flatMap(({ answer }) => (answer && isTimed(answer) ? [answer.from_us] : []));
    if (starts.length === 0) return;
    const from = Math.min(...starts);
    const known: Alert[] = [];
    try {
      for (let page = 0; page < ALERT_PAGES_MAX; page++) {
        const before = known.at(-1)?.number;
        const filter = { limit: ALERT_PAGE, ...(before !== undefined && { before }) };
        const { alerts, more } = await listAlerts(filter, abort, "report");
        known.push(...alerts);
        if (!more || (alerts.at(-1)?.began_us ?? 0) < from) break;
      }
    } catch {
      return;
    }
    if (!abort.aborted) this.alerts.value = known;
  }

  private take(answer: RunAnswer): void {
    const panels = new Map<string, PanelState>();
    for (const panel of answer.panels) {
      const last = this.panels.value.get(panel.id);
      // What may not be seen any more is not kept.
      const isKept = panel.error && panel.error.code !== "forbidden" && last?.shown;
      if (isKept) panels.set(panel.id, { ...last, error: panel.error! });
      else if (panel.error) panels.set(panel.id, { error: panel.error });
      else panels.set(panel.id, { shown: panel, takenUs: answer.taken_us });
    }
    batch(() => {
      this.panels.value = panels;
      this.takenUs.value = answer.taken_us;
      this.error.value = undefined;
    });
  }

  private fail(error: ApiError["body"]): void {
    const isGone = error.code === "forbidden" || error.code === "not_found";
    batch(() => {
      this.error.value = error;
      if (isGone) this.panels.value = new Map();
      else
        this.panels.value = new Map(
          [...this.panels.value].map(([id, state]) => [id, state.shown ? { ...state, error } : state]),
        );
    });
  }

  private plan(): void {
    clearTimeout(this.timer);
    if (this.refreshS.value === 0 || this.draft.value) return;
    this.timer = setTimeout(() => {
      if (document.hidden) this.plan();
      else void this.run("timer");
    }, this.refreshS.value * 1000);
  }

  edit(): void {
    const object = this.object.value;
    if (!object) return;
    clearTimeout(this.timer);
    this.draft.value = { name: object.name, spec: structuredClone(object.spec) };
  }

  change(spec: DashboardSpec): void {
    const draft = this.draft.value;
    if (draft) this.draft.value = { ...draft, spec };
  }

  rename(name: string): void {
    const draft = this.draft.value;
    if (draft) this.draft.value = { ...draft, name };
  }

  cancel(): void {
    batch(() => {
      this.draft.value = undefined;
      this.conflict.value = undefined;
      this.notice.value = "";
    });
    void this.run();
  }

  /** Saves the draft as a version; over the version of somebody else only when that was seen. */
  async save(seen = this.object.value): Promise<void> {
    const draft = this.draft.value;
    if (!draft || !seen) return;
    const { folder, description, tags } = seen;
    try {
      const saved = await changeDashboard(seen, { name: draft.name, folder, description, tags, spec: draft.spec });
      batch(() => {
        this.object.value = saved;
        this.draft.value = undefined;
        this.conflict.value = undefined;
        this.notice.value = `Saved as version ${saved.revision}`;
      });
      await this.run();
    } catch (cause) {
      const body = bodyOf(cause);
      const current =
        cause instanceof ApiError && body.code === "changed" ? (cause.answer as Conflict).current : undefined;
      if (current) this.conflict.value = { current };
      else this.notice.value = body.message;
    }
  }

  /** Makes a copy that the user owns; returns its id. */
  async copy(): Promise<string | undefined> {
    const object = this.object.value;
    if (!object) return undefined;
    const spec = this.draft.value?.spec ?? object.spec;
    const { description, tags } = object;
    for (let number = 1; number <= 20; number++) {
      const name = number === 1 ? `Copy of ${object.name}` : `Copy ${number} of ${object.name}`;
      try {
        return (await createDashboard({ name, folder: "", description, tags, spec })).id;
      } catch (cause) {
        if (bodyOf(cause).code === "conflict") continue;
        this.notice.value = bodyOf(cause).message;
        return undefined;
      }
    }
    return undefined;
  }

  /** Lets everyone view the dashboard, or nobody else. */
  async share(isShared: "everyone" | "nobody"): Promise<void> {
    const object = this.object.value;
    if (!object) return;
    try {
      await shareDashboard(object, isShared === "everyone" ? [{ principal: "everyone", level: "view" }] : []);
      this.object.value = await readDashboard(this.id);
      this.notice.value =
        isShared === "everyone" ? "Everyone may view this dashboard" : "Nobody else sees this dashboard";
    } catch (cause) {
      this.notice.value = bodyOf(cause).message;
    }
  }
}

/** The request of a view; values of parameters that a draft no longer has are left out. */
export function requestOf(view: BoardView, spec: DashboardSpec): RunRequest {
  const known = new Set(spec.parameters.map(({ name }) => name));
  const params = Object.fromEntries(Object.entries(view.values).filter(([name, value]) => known.has(name) && value));
  return {
    ...(view.range && { from: view.range.from, to: view.range.to }),
    ...(view.clock && { clock: view.clock }),
    ...(view.logspace && { in: view.logspace }),
    params,
    filters: view.filters,
  };
}
