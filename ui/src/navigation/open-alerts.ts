// The number of alerts that fire and that nobody has acknowledged, for the badge.
//
// In: the server, asked now and then while the page can be seen. Out: `openAlerts`. A failure keeps the last number.
import { signal } from "@preact/signals";
import { listAlerts } from "../api/alerts.ts";

const INTERVAL_MS = 15_000;
/** Alerts that are counted. */
export const COUNTED_MAX = 100;

export const openAlerts = signal(0);

/** Counts until the function that it returns is called. */
export function watchOpenAlerts(): () => void {
  const request = new AbortController();
  const count = async (): Promise<void> => {
    if (document.hidden) return;
    try {
      const { alerts } = await listAlerts({ state: "firing", limit: COUNTED_MAX }, request.signal, "report");
      openAlerts.value = alerts.filter((alert) => alert.acknowledged_us === null).length;
    } catch {
      // The page itself says when the server does not answer.
    }
  };
  void count();
  const timer = setInterval(() => void count(), INTERVAL_MS);
  const onVisible = (): void => void count();
  document.addEventListener("visibilitychange", onVisible);
  return () => {
    request.abort();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onVisible);
  };
}
