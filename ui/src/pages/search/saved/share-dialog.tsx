// The people that a saved search is shared with. What they find with it is decided by their own rights.
import { useState } from "preact/hooks";
import type { AclItem, Level, SavedSearch } from "../../../api/objects.ts";
import { Icon } from "../../../components/icon.tsx";
import { DialogButtons, DialogFrame } from "./saved-dialogs.tsx";
import type { SavedModel } from "./saved-model.ts";

const LEVELS: [Level, string][] = [
  ["view", "may view it"],
  ["edit", "may change it"],
  ["own", "may share it, too"],
];

export function ShareDialog({ saved, current }: { saved: SavedModel; current: SavedSearch }) {
  const [people, setPeople] = useState<AclItem[]>(current.acl ?? []);
  const [name, setName] = useState("");
  const [owner, setOwner] = useState("");
  const everyone = people.find(({ principal }) => principal === "everyone");
  const set = (principal: string, level: Level | undefined): void =>
    setPeople([
      ...people.filter((known) => known.principal !== principal),
      ...(level === undefined ? [] : [{ principal, level }]),
    ]);
  const withTyped = (): AclItem[] => {
    const principal = `user:${name.trim()}`;
    const isNew = name.trim() !== "" && !people.some((known) => known.principal === principal);
    return isNew ? [...people, { principal, level: "view" }] : people;
  };
  return (
    <DialogFrame
      saved={saved}
      title={`Share ${current.name}`}
      onSubmit={() => void saved.share(withTyped(), owner.trim() || undefined)}
    >
      <p class="muted">
        Everybody finds with it only what their own rights on {current.spec.logspace || "the logspace"} allow.
      </p>
      <label class="share-person">
        <span class="share-name">
          <b>Everyone</b>
        </span>
        <LevelChoice
          label="Everyone"
          level={everyone?.level}
          onLevel={(level) => set("everyone", level)}
          none="may not see it"
        />
      </label>
      {people
        .filter(({ principal }) => principal !== "everyone")
        .map(({ principal, level }) => {
          const user = principal.replace(/^user:/, "");
          return (
            <div class="share-person" key={principal}>
              <span class="share-name ellipsis">{user}</span>
              <LevelChoice label={user} level={level} onLevel={(chosen) => set(principal, chosen)} />
              <button
                type="button"
                class="icon-button"
                title={`Remove ${user}`}
                aria-label={`Remove ${user}`}
                onClick={() => set(principal, undefined)}
              >
                <Icon name="close" size={13} />
              </button>
            </div>
          );
        })}
      <label>
        Add a user
        <span class="share-add">
          <input
            name="user"
            autocomplete="off"
            maxLength={64}
            autofocus
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || name.trim() === "") return;
              event.preventDefault();
              setPeople(withTyped());
              setName("");
            }}
          />
          <button
            type="button"
            class="button outlined"
            disabled={name.trim() === ""}
            onClick={() => {
              setPeople(withTyped());
              setName("");
            }}
          >
            Add
          </button>
        </span>
      </label>
      <label>
        Give it to another owner{" "}
        <span class="muted">
          ({current.owner_removed ? `the account of ${current.owner} was removed` : `now ${current.owner}`}; empty:
          stays)
        </span>
        <input
          name="owner"
          autocomplete="off"
          maxLength={64}
          value={owner}
          onInput={(event) => setOwner(event.currentTarget.value)}
        />
      </label>
      <DialogButtons saved={saved} submit={owner.trim() ? "Give away" : "Share"} />
    </DialogFrame>
  );
}

interface LevelProps {
  label: string;
  level: Level | undefined;
  onLevel(level: Level | undefined): void;
  /** The text of no level; left out where there has to be one. */
  none?: string;
}

function LevelChoice({ label, level, onLevel, none }: LevelProps) {
  return (
    <select
      aria-label={`${label}: level`}
      value={level ?? ""}
      onChange={(event) => onLevel((event.currentTarget.value || undefined) as Level | undefined)}
    >
      {none && <option value="">{none}</option>}
      {LEVELS.map(([value, text]) => (
        <option value={value}>{text}</option>
      ))}
    </select>
  );
}
