// GET /tail: messages as they arrive, as server-sent events.
//
// In: a query and the snapshot of an answer. Out: rows, a status each second, and whether the stream is open.
// The browser reconnects with Last-Event-ID; when it gives up (after an HTTP error), we reconnect from the last event, with
// growing pauses. A request that the server refuses for good is not repeated. Limits: RETRY_MS_MAX between attempts.
import { address, refusalOf, type ErrorBody, type ErrorCode } from "./call.ts";
import type { Row, RowId } from "./row.ts";

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 15_000;
/** Refusals that another attempt does not change. */
const FINAL: ErrorCode[] = ["bad_request", "query_syntax", "forbidden", "not_found"];

export interface TailStatus {
  matched: number;
  shown: number;
  /** Messages that this connection was too slow for. */
  missed?: number;
  sequence: RowId | null;
}

export interface TailEvents {
  row(row: Row): void;
  status(status: TailStatus): void;
  connection(state: "open" | "lost"): void;
  /** The server refuses the request for good; the tail has ended. */
  refused(error: ErrorBody): void;
}

export interface Tail {
  close(): void;
}

export function openTail(request: { logspace: string; query: string; after: RowId }, events: TailEvents): Tail {
  let stream: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = RETRY_MS_MIN;
  let last = String(request.after);
  let closed = false;
  const url = (): string => address("tail", { logspace: request.logspace, query: request.query, after: last });

  function open(): void {
    stream = new EventSource(url());
    stream.addEventListener("open", () => {
      pause = RETRY_MS_MIN;
      events.connection("open");
    });
    stream.addEventListener("row", (event) => {
      const { data, lastEventId } = event as MessageEvent<string>;
      if (lastEventId) last = lastEventId;
      events.row(JSON.parse(data) as Row);
    });
    stream.addEventListener("status", (event) => {
      events.status(JSON.parse((event as MessageEvent<string>).data) as TailStatus);
    });
    stream.addEventListener("error", () => {
      events.connection("lost");
      if (stream?.readyState !== EventSource.CLOSED) return;
      stream.close();
      void reopen();
    });
  }

  async function reopen(): Promise<void> {
    const refusal = await refusalOf(url());
    if (closed) return;
    if (refusal && FINAL.includes(refusal.body.code)) return events.refused(refusal.body);
    timer = setTimeout(open, pause);
    pause = Math.min(pause * 2, RETRY_MS_MAX);
  }

  open();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      stream?.close();
    },
  };
}
