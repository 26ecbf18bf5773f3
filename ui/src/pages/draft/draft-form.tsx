// The rule that is being written: what it looks for, when it fires, and what people read.
import type { ComponentChildren } from "preact";
import type { Logspace } from "../../api/logspaces.ts";
import type { Severity } from "../../api/row.ts";
import { hasField, hasThreshold, hasWithin, type Draft, type DraftKind } from "./draft.ts";

const KIND_LABELS: Record<DraftKind, string> = {
  count: "there are many messages",
  match: "a message comes",
  absence: "no message comes",
  distinct: "a field has many different values",
  "new-value": "a field has a value that is new",
};
const SEVERITIES: Severity[] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

interface Props {
  draft: Draft;
  logspaces: Logspace[];
  onChange(change: Partial<Draft>): void;
}

export function DraftForm({ draft, logspaces, onChange }: Props) {
  // Rules watch whole logspaces, each by itself.
  const local = logspaces.filter(({ kind }) => kind === "local");
  return (
    <form class="draft-form" onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>What</legend>
        <Field label="Messages that match">
          <input
            class="mono"
            value={draft.query}
            placeholder="all messages"
            spellcheck={false}
            onInput={(event) => onChange({ query: event.currentTarget.value })}
          />
        </Field>
        <Field label="in the logspace">
          <select value={draft.logspace} onChange={(event) => onChange({ logspace: event.currentTarget.value })}>
            {local.map(({ name }) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </Field>
      </fieldset>
      <fieldset>
        <legend>When</legend>
        <Field label="It fires when">
          <select value={draft.kind} onChange={(event) => onChange({ kind: event.currentTarget.value as DraftKind })}>
            {Object.entries(KIND_LABELS).map(([kind, label]) => (
              <option value={kind}>{label}</option>
            ))}
          </select>
        </Field>
        {hasField(draft.kind) && (
          <Field label="Field">
            <input
              class="mono"
              value={draft.field}
              spellcheck={false}
              onInput={(event) => onChange({ field: event.currentTarget.value })}
            />
          </Field>
        )}
        <div class="draft-line">
          {hasThreshold(draft.kind) && (
            <Field label="more than">
              <input
                inputMode="numeric"
                value={draft.more}
                onInput={(event) => onChange({ more: event.currentTarget.value })}
              />
            </Field>
          )}
          {hasWithin(draft.kind) && (
            <Field label={draft.kind === "absence" ? "for" : "within"}>
              <input
                value={draft.within}
                placeholder="1m"
                onInput={(event) => onChange({ within: event.currentTarget.value })}
              />
            </Field>
          )}
        </div>
        <Field label="for each (fields, with commas)">
          <input
            class="mono"
            value={draft.by}
            placeholder="all together"
            spellcheck={false}
            onInput={(event) => onChange({ by: event.currentTarget.value })}
          />
        </Field>
      </fieldset>
      <fieldset>
        <legend>Who reads it</legend>
        <Field label="Title">
          <input
            value={draft.title}
            placeholder={draft.query || "what happened, in a few words"}
            onInput={(event) => onChange({ title: event.currentTarget.value })}
          />
        </Field>
        <Field label="Severity">
          <select
            value={draft.severity}
            onChange={(event) => onChange({ severity: event.currentTarget.value as Severity })}
          >
            {SEVERITIES.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </Field>
      </fieldset>
    </form>
  );
}

function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label class="draft-field">
      <span>{label}</span>
      {children}
    </label>
  );
}
