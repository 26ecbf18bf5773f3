// The state of the inbox: which alerts are shown, and the one that is open.
//
// In: events of the components, the address. Out: the signals that they show. Holds: the newest alerts, read again every few
// seconds while the page can be seen, and older ones that were asked for. Limits: ALERTS_MAX rows.
import { batch, computed, signal } from "@preact/signals";
import { acknowledge, listAlerts, type Alert, type AlertState } from "../../api/alerts.ts";
import { ApiError, isAborted, type ErrorBody, type OnSessionEnd } from "../../api/call.ts";
import { pageAt, pathOf } from "../../view/route.ts";
import { DEFAULT_INBOX, decodeInbox, encodeInbox, type InboxView } from "./inbox-view.ts";

const REFRESH_MS = 3_000;
const PAGE_ROWS = 100;
const ALERTS_MAX = 2_000;
const NOTICE_MS = 4_000;

export class AlertsModel {
  readonly view = signal<InboxView>(decodeInbox(location.search));
  readonly alerts = signal<Alert[] | undefined>(undefined);
  /** There are older ones. */
  readonly more = signal(false);
  readonly error = signal<ErrorBody | undefined>(undefined);
  readonly notice = signal("");
  /** The row that the keys act on. */
  readonly cursor = signal(0);
  readonly opened = computed(() => this.alerts.value?.find(({ number }) => number === this.view.value.open));

  private request: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private noticeTimer: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    addEventListener("popstate", this.onPop);
    document.addEventListener("visibilitychange", this.onVisible);
    void this.read("ask");
  }

  stop(): void {
    removeEventListener("popstate", this.onPop);
    document.removeEventListener("visibilitychange", this.onVisible);
    this.request?.abort();
    clearTimeout(this.timer);
    clearTimeout(this.noticeTimer);
  }

  private readonly onPop = (): void => {
    if (pageAt(location.pathname) === "alerts") this.show(decodeInbox(location.search));
  };

  private readonly onVisible = (): void => {
    if (!document.hidden) void this.read("report");
  };

  /** Changes what is shown and the address with it. */
  navigate(change: Partial<InboxView>): void {
    const after = { ...this.view.value, ...change };
    const isOther = after.state !== this.view.value.state || after.rule !== this.view.value.rule;
    if (isOther && change.open === undefined) after.open = undefined;
    history[isOther ? "pushState" : "replaceState"](null, "", pathOf("alerts") + encodeInbox(after));
    this.show(after);
  }

  private show(after: InboxView): void {
    const before = this.view.value;
    this.view.value = after;
    if (after.state === before.state && after.rule === before.rule) return;
    batch(() => {
      this.alerts.value = undefined;
      this.cursor.value = 0;
    });
    void this.read("ask");
  }

  /** Reads the newest alerts. */
  async read(onSessionEnd: OnSessionEnd): Promise<void> {
    this.request?.abort();
    clearTimeout(this.timer);
    const request = new AbortController();
    this.request = request;
    try {
      const { alerts, more } = await listAlerts(this.filter(), request.signal, onSessionEnd);
      batch(() => {
        this.error.value = undefined;
        this.takeNewest(alerts, more);
      });
    } catch (cause) {
      if (isAborted(cause)) return;
      this.error.value = bodyOf(cause);
    }
    if (!request.signal.aborted && !document.hidden)
      this.timer = setTimeout(() => void this.read("report"), REFRESH_MS);
  }

  /** Reads alerts that are older than those shown. */
  async readOlder(): Promise<void> {
    const shown = this.alerts.value ?? [];
    const last = shown.at(-1);
    if (!last || shown.length >= ALERTS_MAX) return;
    try {
      const { alerts, more } = await listAlerts({ ...this.filter(), before: last.number });
      batch(() => {
        this.alerts.value = [...(this.alerts.value ?? []), ...alerts].slice(0, ALERTS_MAX);
        this.more.value = more;
      });
    } catch (cause) {
      this.notify(bodyOf(cause).message);
    }
  }

  private filter(): { limit: number; state?: AlertState; rule?: string } {
    const { state, rule } = this.view.value;
    return { limit: PAGE_ROWS, ...(state === "all" ? {} : { state }), ...(rule ? { rule } : {}) };
  }

  /** Takes the newest alerts; older ones that were read before stay. The cursor stays at its alert. */
  private takeNewest(newest: Alert[], more: boolean): void {
    const before = this.alerts.value ?? [];
    const atCursor = before[this.cursor.value]?.number;
    const last = newest.at(-1)?.number;
    const older = more && last !== undefined ? before.filter(({ number }) => number < last) : [];
    this.alerts.value = [...newest, ...older].slice(0, ALERTS_MAX);
    if (older.length === 0) this.more.value = more;
    const index = this.alerts.value.findIndex(({ number }) => number === atCursor);
    this.cursor.value = Math.max(0, index);
  }

  /** Moves the cursor; an open pane follows it. */
  move(by: number): void {
    const alerts = this.alerts.value ?? [];
    const to = Math.min(Math.max(this.cursor.value + by, 0), Math.max(0, alerts.length - 1));
    this.cursor.value = to;
    if (this.view.value.open !== undefined && alerts[to]) this.navigate({ open: alerts[to].number });
  }

  open(index: number): void {
    const alert = this.alerts.value?.[index];
    if (!alert) return;
    this.cursor.value = index;
    this.navigate({ open: alert.number });
  }

  close(): void {
    this.navigate({ open: DEFAULT_INBOX.open });
  }

  /** Notes that the user knows of an alert. */
  async acknowledge(alert: Alert | undefined, note: string): Promise<boolean> {
    if (!alert) return false;
    try {
      const changed = await acknowledge(alert.number, note);
      this.alerts.value = this.alerts.value?.map((one) => (one.number === changed.number ? changed : one));
      this.notify(`${alert.title} acknowledged`);
      return true;
    } catch (cause) {
      this.notify(bodyOf(cause).message);
      return false;
    }
  }

  notify(text: string): void {
    clearTimeout(this.noticeTimer);
    this.notice.value = text;
    this.noticeTimer = setTimeout(() => (this.notice.value = ""), NOTICE_MS);
  }
}

export function bodyOf(cause: unknown): ErrorBody {
  return cause instanceof ApiError ? cause.body : { code: "internal", message: String(cause) };
}
