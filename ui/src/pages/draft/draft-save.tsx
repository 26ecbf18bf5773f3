// Saving a rule: with whose rights it will run, what keeps it from being saved, and who else has changed it.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { formatCount } from "../../time/format.ts";
import type { DraftModel } from "./draft-model.ts";

/** A rule that fires more often is read by nobody. */
const PER_DAY_MAX = 100;

interface Props {
  model: DraftModel;
  isChecked: boolean;
  user: string;
}

export function DraftSave({ model, isChecked, user }: Props) {
  const [isWanted, setWanted] = useState(false);
  const isLoud = (model.preview.value?.per_day ?? 0) > PER_DAY_MAX;
  const saved = model.saved.value;
  const theirs = model.theirs.value;
  const isReadOnly = saved !== undefined && (saved.level === "view" || saved.file !== undefined);
  const owner = saved?.owner || user;
  return (
    <section class="draft-save" aria-label="Save">
      {isLoud && (
        <label class="draft-confirm">
          <input type="checkbox" checked={isWanted} onChange={(event) => setWanted(event.currentTarget.checked)} />
          It may fire more than {formatCount(PER_DAY_MAX)} times a day
        </label>
      )}
      {model.saveError.value && (
        <p class="alert-error" role="alert">
          {model.saveError.value}
        </p>
      )}
      {theirs ? (
        <div class="alert-error" role="alert">
          <p>
            {theirs.changed_by} has {theirs.deleted_us === undefined ? "changed" : "deleted"} this rule meanwhile.
          </p>
          <p>
            <Button title="Show what they have saved" kind="outlined" onClick={() => model.showTheirs(theirs)}>
              Show theirs
            </Button>{" "}
            {theirs.deleted_us === undefined && (
              <Button title="Save yours over it" kind="outlined" onClick={() => void model.overwrite(theirs)}>
                Overwrite with mine
              </Button>
            )}
          </p>
        </div>
      ) : (
        <p>
          <Button
            icon="check"
            title={saved ? "Save the changes" : "Save the rule: it watches from then on"}
            kind="primary"
            disabled={!isChecked || isReadOnly || model.saving.value || (isLoud && !isWanted)}
            onClick={() => void model.save()}
          >
            Save
          </Button>
        </p>
      )}
      <p class="muted">
        {isReadOnly
          ? saved?.file
            ? `It is kept in ${saved.file}, and changed there.`
            : `It can be changed by those who may edit it: ask ${saved?.owner}.`
          : `It watches what is received from then on, with the rights of ${owner}.`}
      </p>
    </section>
  );
}
