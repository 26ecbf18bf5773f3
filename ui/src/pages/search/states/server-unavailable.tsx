// Shown when the server does not answer; tries again by itself.
import { useEffect, useState } from "preact/hooks";
import { readHealth } from "../../../api/health.ts";
import { StatusMessage } from "../../../components/status-message.tsx";

const RETRY_S = 5;

export function ServerUnavailable({ onRetry }: { onRetry: () => Promise<void> | void }) {
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
    <StatusMessage icon="alert" title="The server cannot be reached" action="Try now" onAction={() => void onRetry()}>
      <p>Nothing is lost: your search is in the address of this page. Next attempt in {left} s.</p>
    </StatusMessage>
  );
}
