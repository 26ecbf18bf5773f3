// One value of a facet: its share as a bar, its count; a click filters, the minus excludes.
import { SeverityMark } from "../../../components/severity.tsx";
import { Icon } from "../../../components/icon.tsx";
import type { Filter } from "../../../query/edit.ts";
import { count, percent } from "../../../time/format.ts";

interface Props {
  column: string;
  value: string;
  count: number;
  total: number;
  /** Compared with the most frequent value. */
  share: number;
  state: Filter | undefined;
  onFilter(filter: Filter): void;
}

export function FacetValueLine({ column, value, count: many, total, share, state, onFilter }: Props) {
  return (
    <li class={`value-line ${state ?? ""}`} data-field={column} data-value={value}>
      <button
        type="button"
        class="value-main"
        aria-pressed={state === "include"}
        title={`${value}\n${count(many)} of ${count(total)}. Click to filter`}
        onClick={() => onFilter("include")}
      >
        <span class="value-name mono clip">
          {state === "include" && <Icon name="check" size={12} />}
          {column === "severity" ? <SeverityMark severity={value} /> : value}
        </span>
        <span class="value-share">{percent(many, total)}</span>
        <span class="value-count">{count(many)}</span>
        <span class="value-bar" aria-hidden="true">
          <span class="bar-fill" style={{ width: `${Math.max(1, share * 100)}%` }} />
        </span>
      </button>
      <button
        type="button"
        class="tiny value-exclude"
        title={`Exclude ${value}`}
        aria-label={`Exclude ${value}`}
        onClick={() => onFilter("exclude")}
      >
        <Icon name="minus" size={13} />
      </button>
    </li>
  );
}
