// What can be done with a saved rule: change, copy, switch on and off, take over, delete.
import { useState } from "preact/hooks";
import type { Rule } from "../../api/rules.ts";
import { changeRule, deleteRule, giveRule, readSavedRule, type SavedRule } from "../../api/saved-rules.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { follow } from "../../navigation/location.ts";
import { formatCount } from "../../time/format.ts";
import { pathOf } from "../../view/route.ts";
import { bodyOf } from "../alerts/alerts-model.ts";

interface Props {
  rule: Rule;
  user: string;
  onChanged(): void;
}

export function RuleActions({ rule, user, onChanged }: Props) {
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { object } = rule;
  if (!object) return null;
  const mayEdit = object.level !== "view" && object.file === undefined;
  const why = object.file ? `kept in ${object.file}` : `needs edit: ask ${object.owner || "an administrator"}`;
  const firing = rule.logspaces.reduce((sum, health) => sum + health.firing, 0);
  /** Does something with the rule as it is now. */
  const act = async (work: (seen: SavedRule) => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError("");
    try {
      await work(await readSavedRule(rule.id));
      onChanged();
    } catch (cause) {
      setError(bodyOf(cause).message);
    }
    setBusy(false);
  };
  const toggle = (): Promise<void> =>
    act((seen) => changeRule(seen, { ...seen, spec: { ...seen.spec, enabled: rule.state === "off" } }));
  const edit = `?rule=${encodeURIComponent(rule.id)}`;
  const copy = `${edit}&copy=1`;
  return (
    <>
      <p class="pane-buttons">
        {mayEdit && (
          <a class="button outlined" href={pathOf("draft") + edit} onClick={(event) => follow(event, "draft", edit)}>
            Change
          </a>
        )}
        <a class="button outlined" href={pathOf("draft") + copy} onClick={(event) => follow(event, "draft", copy)}>
          <Icon name="copy" /> Duplicate
        </a>
        <Button
          title={mayEdit ? "Let it watch, or not" : why}
          kind="outlined"
          disabled={!mayEdit || isBusy}
          onClick={() => void toggle()}
        >
          {rule.state === "off" ? "Switch on" : "Switch off"}
        </Button>
        {rule.state === "stopped" && object.level === "own" && object.owner !== user && (
          <Button
            title="It runs with your rights from then on"
            kind="primary"
            disabled={isBusy}
            onClick={() => void act((seen) => giveRule(seen, user))}
          >
            Take over
          </Button>
        )}
        <Button
          title={mayEdit ? "Delete the rule" : why}
          kind="outlined"
          disabled={!mayEdit || isBusy}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
      </p>
      {isDeleting && (
        <div class="alert-error" role="alert">
          <p>
            {firing > 0 ? `${formatCount(firing)} of its alerts fire and end with it. ` : "None of its alerts fires. "}
            {object.shared && "Those it is shared with lose it. "}
            It can be restored for 30 days.
          </p>
          <p class="pane-buttons">
            <Button
              title="Delete it"
              kind="primary"
              disabled={isBusy}
              onClick={() => void act(deleteRule).then(() => setDeleting(false))}
            >
              Delete it
            </Button>
            <Button title="Keep it" kind="outlined" onClick={() => setDeleting(false)}>
              Keep it
            </Button>
          </p>
        </div>
      )}
      {error && (
        <p class="alert-error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}
