// A rule: it is written at the left and checked over the past at the right, and saved on the server.
import { useEffect, useMemo } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import { copyText } from "../../components/copy-text.ts";
import { Button } from "../../components/button.tsx";
import { ALERT_TABS, PageHead, type PageProps } from "../../components/page-head.tsx";
import { below } from "../../view/route.ts";
import { zone } from "../../view/preferences.ts";
import "../../style/alerts.css";
import "../../style/draft.css";
import { DraftCheck } from "./draft-check.tsx";
import { DraftForm } from "./draft-form.tsx";
import { DraftModel } from "./draft-model.ts";
import { DraftSave } from "./draft-save.tsx";
import { fileOf } from "./draft.ts";

export function DraftPage(props: PageProps & { logspaces: Logspace[] }) {
  const first = props.logspaces.find(({ kind }) => kind === "local")?.name ?? "";
  const model = useMemo(() => new DraftModel(first), []);
  useEffect(() => {
    model.start();
    document.title = "New rule \u00b7 Duramen";
    return () => model.stop();
  }, []);
  const draft = model.draft.value;
  const isChecked = model.preview.value !== undefined && !model.error.value && !model.checking.value;
  return (
    <div class="page">
      <PageHead {...props} title="Alerts" tabs={ALERT_TABS} />
      <main class="draft-panels">
        <div class="draft-left">
          <h2>{model.saved.value ? `Change ${model.saved.value.name}` : "New rule"}</h2>
          <DraftForm draft={draft} logspaces={props.logspaces} onChange={(change) => model.change(change)} />
          <DraftSave model={model} isChecked={isChecked} user={props.session.user} />
          <details class="draft-file">
            <summary>As text for a file of rules</summary>
            <Copy
              text={fileOf(draft)}
              onCopied={(isCopied) => model.notify(isCopied ? "Rule copied" : "The browser did not allow copying")}
            />
          </details>
        </div>
        <DraftCheck
          preview={model.preview.value}
          error={model.error.value}
          checking={model.checking.value}
          from={draft.from}
          zone={zone.value}
          onFrom={(from) => model.change({ from })}
        />
      </main>
      <p class={`notice ${model.notice.value ? "on" : ""}`} role="status">
        {model.notice.value}
      </p>
    </div>
  );
}

/** The text for a file of rules. */
function Copy({ text, onCopied }: { text: string; onCopied(isCopied: boolean): void }) {
  return (
    <section class="draft-copy" aria-label="File">
      <pre tabIndex={0}>{text}</pre>
      <p>
        <Button icon="copy" title="Copy the rule" kind="outlined" onClick={() => void copyText(text).then(onCopied)}>
          Copy the rule
        </Button>
      </p>
      <p class="muted">
        Put it into a file in the folder <code>rules</code> beside the configuration and reload the server.{" "}
        <a href={below("manual/manual/rules.html")}>More about rules</a>
      </p>
    </section>
  );
}
