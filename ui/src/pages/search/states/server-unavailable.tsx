// The server does not answer: says so, and tries again by itself.
import { useEffect, useState } from "preact/hooks";
import { readHealth } from "../../../api/health.ts";
import { State } from "./status-message.tsx";

const RETRY_S = 5;

export function Away({ onRetry }: { onRetry: () => Promise<void> | void }) {
  const [left, setLeft] = useState(RETRY_S);
  useEffect(() => {
    const timer = setInterval(() => {
      setLeft((seconds) => {
        if (seconds > 1) return seconds - 1;
        readHealth().then(
          () => onRetry(),
          () => undefined,
        );
        return RETRY_S;
      });
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <State icon="alert" title="The server is away" action="Try now" onAction={() => void onRetry()}>
      <p>Nothing is lost: what was searched is in the address of this page. Next try in {left} s.</p>
    </State>
  );
}
