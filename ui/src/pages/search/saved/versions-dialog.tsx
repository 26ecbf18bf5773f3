// The versions of a saved search: who changed it when, how it differs from now, and its return.
import { useEffect } from "preact/hooks";
import type { SavedSearch, SavedVersion } from "../../../api/objects.ts";
import { formatFullTime } from "../../../time/format.ts";
import type { Zone } from "../../../time/zone.ts";
import { differingMembers } from "../../../view/saved-search.ts";
import { Differences } from "./differences.tsx";
import { DialogFrame } from "./saved-dialogs.tsx";
import type { SavedModel } from "./saved-model.ts";

const ACTIONS: Record<SavedVersion["action"], string> = {
  create: "saved",
  change: "changed",
  share: "shared",
  delete: "deleted",
  restore: "brought back",
};

interface Props {
  saved: SavedModel;
  current: SavedSearch;
  /** The first logspace, which a search without one is for. */
  first: string;
  zone: Zone;
}

export function VersionsDialog({ saved, current, first, zone }: Props) {
  useEffect(() => void saved.readVersions(), []);
  const versions = saved.versions.value;
  const chosen = saved.version.value;
  return (
    <DialogFrame saved={saved} title={`Versions of ${current.name}`} onSubmit={() => saved.ask(undefined)}>
      {!versions && !saved.error.value && <p class="muted">Reading the versions…</p>}
      <ol class="saved-versions" aria-label="Versions, the newest first">
        {versions?.map((version) => (
          <li key={version.revision}>
            <button
              type="button"
              class="version-entry"
              aria-expanded={chosen?.revision === version.revision}
              onClick={() => void saved.readVersion(version.revision)}
            >
              <b>{version.revision}</b>
              <span class="version-text">
                {ACTIONS[version.action]} by {version.changed_by || "nobody"}
                {version.revision === current.revision && " (as it is now)"}
                <span class="muted">{formatFullTime(version.changed_us, zone)}</span>
                {version.comment && <span class="muted">{version.comment}</span>}
              </span>
            </button>
            {chosen?.revision === version.revision && (
              <ChosenVersion saved={saved} current={current} chosen={chosen} first={first} />
            )}
          </li>
        ))}
      </ol>
      <p class="session-buttons">
        <button class="button outlined">Close</button>
      </p>
    </DialogFrame>
  );
}

function ChosenVersion({ saved, current, chosen, first }: Omit<Props, "zone"> & { chosen: SavedSearch }) {
  const rows = differingMembers(chosen, current, first);
  const why = saved.whyReadOnly.value;
  return (
    <div class="version-chosen">
      {rows.length === 0 && <p class="muted">The same as it is now.</p>}
      <Differences rows={rows} one={`version ${chosen.revision}`} other="now" />
      {rows.length > 0 && (
        <button
          type="button"
          class="button outlined"
          disabled={why !== "" || saved.busy.value}
          title={why || undefined}
          onClick={() => void saved.restoreVersion(chosen.revision)}
        >
          Bring version {chosen.revision} back{why && ` (${why})`}
        </button>
      )}
    </div>
  );
}
