// Grants that are being edited: a logspace and its rights on each line.
import { useId } from "preact/hooks";
import type { Grant } from "../../api/users.ts";
import { Icon } from "../../components/icon.tsx";
import { RIGHTS, withRight } from "./effective.ts";

interface Props {
  label: string;
  grants: Grant[];
  logspaces: string[];
  onChange(grants: Grant[]): void;
}

export function GrantsEditor({ label, grants, logspaces, onChange }: Props) {
  const names = useId();
  const replace = (at: number, grant: Grant): void =>
    onChange(grants.map((old, index) => (index === at ? grant : old)));
  return (
    <fieldset class="grants">
      <legend>{label}</legend>
      <datalist id={names}>
        <option value="*">all logspaces</option>
        {logspaces.map((name) => (
          <option value={name} key={name} />
        ))}
      </datalist>
      {grants.length === 0 && <p class="muted">None.</p>}
      {grants.map((grant, at) => (
        <div class="grant-line" key={at} role="group" aria-label={`Grant ${at + 1}`}>
          <input
            aria-label={`Logspace of grant ${at + 1}`}
            name="logspace"
            list={names}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            placeholder="main, firewall-* or *"
            value={grant.logspace}
            onInput={(event) => replace(at, { ...grant, logspace: event.currentTarget.value.trim() })}
          />
          {RIGHTS.map((right) => (
            <label class="choice" key={right}>
              <input
                type="checkbox"
                checked={grant.may.includes(right)}
                onChange={(event) => replace(at, withRight(grant, right, event.currentTarget.checked))}
              />
              {right}
            </label>
          ))}
          <button
            type="button"
            class="button outlined small"
            aria-label={`Take the grant of ${grant.logspace || "no logspace"} away`}
            onClick={() => onChange(grants.filter((_, index) => index !== at))}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      <button
        type="button"
        class="button outlined small"
        onClick={() => onChange([...grants, { logspace: "", may: ["search"] }])}
      >
        <Icon name="plus" size={14} /> Add a grant
      </button>
    </fieldset>
  );
}
