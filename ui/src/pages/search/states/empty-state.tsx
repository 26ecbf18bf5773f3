// Shown instead of rows: why there are none, and the one action that helps.
import { useEffect } from "preact/hooks";
import type { ErrorBody } from "../../../api/call.ts";
import { formatCount, formatFullTime } from "../../../time/format.ts";
import type { Zone } from "../../../time/zone.ts";
import type { Listener } from "../../../api/session.ts";
import type { EmptyReason } from "../model/empty-reason.ts";
import { ServerUnavailable } from "./server-unavailable.tsx";
import { StatusMessage } from "../../../components/status-message.tsx";

const FIRST_RUN_POLL_MS = 2_000;

export interface EmptyEvents {
  onRun(): void;
  onClearQuery(): void;
  onNearest(us: number): void;
  onEditQuery(): void;
  onNarrow(): void;
  listeners: Listener[];
  /** The logspaces that the user may search. */
  logspaces: string[];
  onLogspace(name: string): void;
}

export function EmptyState({ reason, zone, events }: { reason: EmptyReason; zone: Zone; events: EmptyEvents }) {
  if (reason.kind === "first-run") return <FirstRun listeners={events.listeners} onPoll={events.onRun} />;
  if (reason.kind === "no-logspace") {
    return (
      <StatusMessage icon="store" title="There is no logspace yet" action="Check again" onAction={events.onRun}>
        <p>A logspace keeps messages so that they can be searched. Add one to the configuration and reload:</p>
        <pre class="mono">{`destination d_store { logspace("main"); };\nlog { source(s_net); destination(d_store); };`}</pre>
      </StatusMessage>
    );
  }
  if (reason.kind === "unread") {
    return (
      <StatusMessage
        icon="alert"
        title="No match in the messages that could be read"
        action="Search again"
        onAction={events.onRun}
      >
        <p>Some messages could not be searched; the line above says which ones, and why.</p>
      </StatusMessage>
    );
  }
  if (reason.kind === "query") {
    return (
      <StatusMessage icon="search" title="Nothing matches" action="Clear the query" onAction={events.onClearQuery}>
        <p>No message in this logspace matches the query, at any time.</p>
      </StatusMessage>
    );
  }
  return (
    <StatusMessage
      icon="clock"
      title="Nothing in this time range"
      action="Go to the newest match"
      onAction={() => events.onNearest(reason.nearestUs)}
    >
      <p>
        {formatCount(reason.total)} {reason.total === 1 ? "message matches" : "messages match"} at other times, the
        newest at <span class="mono nowrap">{formatFullTime(reason.nearestUs, zone).slice(0, 19)}</span>.
      </p>
    </StatusMessage>
  );
}

function FirstRun({ listeners, onPoll }: { listeners: Listener[]; onPoll: () => void }) {
  useEffect(() => {
    const timer = setInterval(onPoll, FIRST_RUN_POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="status-message first-run" role="status">
      <span class="pulse" aria-hidden="true" />
      <h2>Waiting for the first message</h2>
      <div class="status-text">
        {listeners.length > 0 ? (
          <HowToSend listeners={listeners} />
        ) : (
          <p>The configuration has no source that waits for syslog from the network, such as network() or syslog().</p>
        )}
        <p>This page checks again every two seconds.</p>
      </div>
    </div>
  );
}

function HowToSend({ listeners }: { listeners: Listener[] }) {
  const open = listeners.map(({ transport, address, port }) => `${port}/${transport}${whereOf(address)}`);
  const tcp = listeners.find(({ transport }) => transport === "tcp");
  const listener = tcp ?? listeners[0]!;
  const host = isEverywhere(listener.address) ? location.hostname : listener.address;
  const { port, transport } = listener;
  return (
    <>
      <p>The server waits on {open.join(", ")}. Send it one:</p>
      <pre class="mono">{`logger -n ${host} -P ${port} ${tcp ? "-T " : "-d "}"hello from $(hostname)"`}</pre>
      <p>
        rsyslog, in <code>/etc/rsyslog.d/duramen.conf</code>:
      </p>
      <pre class="mono">{`*.* action(type="omfwd" target="${host}" port="${port}" protocol="${transport}")`}</pre>
      <p>syslog-ng:</p>
      <pre class="mono">{`destination d_duramen { network("${host}" port(${port}) transport("${transport}")); };`}</pre>
    </>
  );
}

const isEverywhere = (address: string): boolean => address === "0.0.0.0" || address === "::";

function whereOf(address: string): string {
  return isEverywhere(address) ? "" : ` at ${address}`;
}

export function ErrorState({ error, events }: { error: ErrorBody; events: EmptyEvents }) {
  switch (error.code) {
    case "unavailable":
      return <ServerUnavailable onRetry={events.onRun} />;
    case "query_syntax":
      return (
        <StatusMessage
          icon="alert"
          title="The query is not valid"
          action="Correct the query"
          onAction={events.onEditQuery}
        >
          <p>
            {sentence(error.message)}
            {error.suggestion ? ` Suggestion: ${error.suggestion}.` : ""}
          </p>
        </StatusMessage>
      );
    case "timeout":
      return (
        <StatusMessage
          icon="clock"
          title="The search took too long"
          action="Search the last quarter of the range"
          onAction={events.onNarrow}
        >
          <p>{sentence(error.message)} A shorter range takes less time.</p>
        </StatusMessage>
      );
    case "unauthorized":
      return (
        <StatusMessage icon="user" title="Your session has ended" action="Log in" onAction={events.onRun}>
          <p>Log in again to repeat this search. Your query is kept.</p>
        </StatusMessage>
      );
    case "forbidden":
      return (
        <StatusMessage icon="alert" title="Not allowed" action="Try again" onAction={events.onRun}>
          <p>{sentence(error.message)}</p>
        </StatusMessage>
      );
    case "not_found":
      return (
        <StatusMessage icon="store" title="No such logspace" action="Try again" onAction={events.onRun}>
          <p>{sentence(error.message)}</p>
          {events.logspaces.length > 0 && (
            <p>
              You may search{" "}
              {events.logspaces.map((name) => (
                <button type="button" class="chip" onClick={() => events.onLogspace(name)}>
                  {name}
                </button>
              ))}
            </p>
          )}
        </StatusMessage>
      );
    default:
      return (
        <StatusMessage icon="alert" title="The search failed" action="Try again" onAction={events.onRun}>
          <p>{sentence(error.message)}</p>
        </StatusMessage>
      );
  }
}

export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
