// The list of saved searches by folder, with a field that narrows it; below it, those that were deleted.
import { useState } from "preact/hooks";
import type { SavedSummary } from "../../../api/objects.ts";
import { Icon } from "../../../components/icon.tsx";
import { VisibleText } from "../../../components/visible-text.tsx";
import { matching } from "../../../view/saved-search.ts";
import type { SavedModel } from "./saved-model.ts";

export function SavedList({ saved, onDone }: { saved: SavedModel; onDone(): void }) {
  const [text, setText] = useState("");
  const list = saved.list.value;
  const found = matching(list ?? [], text);
  const open = (entry: SavedSummary): void => {
    onDone();
    void saved.open(entry);
  };
  return (
    <section class="saved-list" aria-label="Saved searches">
      <input
        class="saved-filter"
        type="search"
        aria-label="Find a saved search"
        placeholder="Find a saved search"
        autofocus
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && found[0]) open(found[0]);
        }}
      />
      {saved.listError.value && (
        <p class="saved-note wrong" role="alert">
          {saved.listError.value}
        </p>
      )}
      {list?.length === 0 && <p class="saved-note">Nothing is saved yet, by you or for you.</p>}
      {list && list.length > 0 && found.length === 0 && <p class="saved-note">None has these words.</p>}
      {byFolder(found).map(([folder, entries]) => (
        <div key={folder}>
          {folder && <h3 class="saved-folder">{folder}</h3>}
          <ul class="menu">
            {entries.map((entry) => (
              <li key={entry.id}>
                <button
                  type="button"
                  class="saved-entry"
                  aria-current={entry.id === saved.current.value?.id}
                  onClick={() => open(entry)}
                >
                  <span class="menu-mark">
                    {entry.id === saved.current.value?.id && <Icon name="check" size={14} />}
                  </span>
                  <span class="saved-text">
                    <span class="ellipsis">{entry.name}</span>
                    <span class="ellipsis mono saved-query">
                      <VisibleText text={entry.summary || "all messages"} />
                    </span>
                    {entry.tags.length > 0 && <span class="ellipsis saved-query">{entry.tags.join(", ")}</span>}
                  </span>
                  <span class="menu-note">{ownerNote(entry)}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <Deleted saved={saved} />
    </section>
  );
}

function Deleted({ saved }: { saved: SavedModel }) {
  const deleted = saved.deleted.value;
  return (
    <ul class="menu saved-deleted">
      {!deleted && (
        <li>
          <button type="button" class="muted" onClick={() => void saved.readDeleted()}>
            <span class="menu-mark" /> Deleted searches
          </button>
        </li>
      )}
      {deleted?.length === 0 && <li class="saved-note">None was deleted in the last 30 days.</li>}
      {deleted?.map((entry) => (
        <li key={entry.id}>
          <button type="button" onClick={() => void saved.restore(entry)}>
            <span class="menu-mark">
              <Icon name="refresh" size={14} />
            </span>
            <span class="ellipsis">Restore {entry.name}</span>
            <span class="menu-note">deleted by {entry.changed_by}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function ownerNote({ owner, owner_removed, level, file, shared }: SavedSummary): string {
  if (file) return "from a file";
  if (owner_removed) return `${owner} (removed)`;
  if (level !== "own") return `${owner}, ${level}`;
  return shared ? "shared" : "";
}

/** The server sorts by folder: entries of one are next to each other. */
function byFolder(entries: SavedSummary[]): [string, SavedSummary[]][] {
  const folders = new Map<string, SavedSummary[]>();
  for (const entry of entries) folders.set(entry.folder, [...(folders.get(entry.folder) ?? []), entry]);
  return [...folders];
}
