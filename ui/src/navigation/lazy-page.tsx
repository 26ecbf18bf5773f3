// A page whose program is loaded when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { StatusMessage } from "../components/status-message.tsx";

interface Props<P> {
  load(): Promise<ComponentType<P>>;
  props: P;
}

export function LazyPage<P extends object>({ load, props }: Props<P>) {
  const [loaded, setLoaded] = useState<{ Page: ComponentType<P> } | "failed">();
  useEffect(() => {
    let stopped = false;
    load().then(
      (Page) => !stopped && setLoaded({ Page }),
      () => !stopped && setLoaded("failed"),
    );
    return () => (stopped = true);
  }, []);
  if (!loaded) return <div class="page" aria-busy="true" />;
  if (loaded === "failed")
    return (
      <div class="page">
        <StatusMessage
          icon="alert"
          title="This page cannot be loaded"
          action="Load again"
          onAction={() => location.reload()}
        >
          <p>The server does not answer, or it was updated since the page was opened.</p>
        </StatusMessage>
      </div>
    );
  const { Page } = loaded;
  return <Page {...props} />;
}
