// A new rule: it is written at the left and checked over the past at the right, and copied into a file of rules.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import { copyText } from "../../components/copy-text.ts";
import { Button } from "../../components/button.tsx";
import { ALERT_TABS, PageHead, type PageProps } from "../../components/page-head.tsx";
import { formatCount } from "../../time/format.ts";
import { below } from "../../view/route.ts";
import { zone } from "../../view/preferences.ts";
import "../../style/alerts.css";
import "../../style/draft.css";
import { DraftCheck } from "./draft-check.tsx";
import { DraftForm } from "./draft-form.tsx";
import { DraftModel } from "./draft-model.ts";
import { fileOf } from "./draft.ts";

/** A rule that fires more often is read by nobody. */
const PER_DAY_MAX = 100;

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
          <h2>New rule</h2>
          <DraftForm draft={draft} logspaces={props.logspaces} onChange={(change) => model.change(change)} />
          <Copy
            text={fileOf(draft)}
            isChecked={isChecked}
            perDay={model.preview.value?.per_day ?? 0}
            onCopied={(isCopied) => model.notify(isCopied ? "Rule copied" : "The browser did not allow copying")}
          />
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

interface CopyProps {
  text: string;
  isChecked: boolean;
  perDay: number;
  onCopied(isCopied: boolean): void;
}

/** The text for a file of rules. One that would fire all the time is copied only by those who say that they want it. */
function Copy({ text, isChecked, perDay, onCopied }: CopyProps) {
  const [isWanted, setWanted] = useState(false);
  const isLoud = perDay > PER_DAY_MAX;
  return (
    <section class="draft-copy" aria-label="File">
      <pre tabIndex={0}>{text}</pre>
      {isLoud && (
        <label class="draft-confirm">
          <input type="checkbox" checked={isWanted} onChange={(event) => setWanted(event.currentTarget.checked)} />
          It may fire more than {formatCount(PER_DAY_MAX)} times a day
        </label>
      )}
      <p>
        <Button
          icon="copy"
          title="Copy the rule"
          kind="primary"
          disabled={!isChecked || (isLoud && !isWanted)}
          onClick={() => void copyText(text).then(onCopied)}
        >
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
