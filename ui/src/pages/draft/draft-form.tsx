// The rule that is being written: what it looks for, when it fires, and what people read.
import type { ComponentChildren } from "preact";
import type { Logspace } from "../../api/logspaces.ts";
import type { Severity } from "../../api/row.ts";
import {
  hasField,
  hasThen,
  hasThreshold,
  hasWithin,
  THRESHOLDS,
  type Draft,
  type DraftKind,
  type Threshold,
} from "./draft.ts";

const KIND_LABELS: Record<DraftKind, string> = {
  count: "there are many messages",
  match: "a message comes",
  absence: "no message comes",
  distinct: "a field has many different values",
  "new-value": "a field has a value that is new",
  sequence: "a message comes, and then another one",
  "not-followed": "a message comes, and another one does not",
  sum: "the sum of a field is",
  avg: "the mean of a field is",
  min: "the smallest number of a field is",
  max: "the largest number of a field is",
};
const THRESHOLD_LABELS: Record<Threshold, string> = {
  "more-than": "more than",
  "at-least": "at least",
  "less-than": "less than",
  "at-most": "at most",
  exactly: "exactly",
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
            {draft.logspace && !local.some(({ name }) => name === draft.logspace) && (
              <option value={draft.logspace}>{draft.logspace}</option>
            )}
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
        {hasThen(draft.kind) && (
          <Field label="The other message matches">
            <input
              class="mono"
              value={draft.then}
              spellcheck={false}
              onInput={(event) => onChange({ then: event.currentTarget.value })}
            />
          </Field>
        )}
        <div class="draft-line">
          {hasThreshold(draft.kind) && (
            <>
              <Field label="Compared">
                <select value={draft.op} onChange={(event) => onChange({ op: event.currentTarget.value as Threshold })}>
                  {THRESHOLDS.map((op) => (
                    <option value={op}>{THRESHOLD_LABELS[op]}</option>
                  ))}
                </select>
              </Field>
              <Field label="Number">
                <input
                  inputMode="decimal"
                  value={draft.more}
                  onInput={(event) => onChange({ more: event.currentTarget.value })}
                />
              </Field>
            </>
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
        <Field label="Further keys, such as for: 5m (one a line)">
          <textarea
            class="mono"
            rows={Math.max(1, draft.extra.split("\n").length)}
            value={draft.extra}
            spellcheck={false}
            onInput={(event) => onChange({ extra: event.currentTarget.value })}
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
        <Field label="What an alert means, and what to do">
          <textarea
            rows={2}
            value={draft.description}
            maxLength={4000}
            onInput={(event) => onChange({ description: event.currentTarget.value })}
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
