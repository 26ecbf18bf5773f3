// One value of a facet with its count and, as a bar, its share: a click filters by it, the minus excludes it.
import { SeverityMark } from "../../../components/severity.tsx";
import { VisibleText } from "../../../components/visible-text.tsx";
import { plainText } from "../../../text/hidden.ts";
import { Icon } from "../../../components/icon.tsx";
import type { Filter } from "../../../query/edit.ts";
import { formatCount, formatPercent } from "../../../time/format.ts";

interface Props {
  column: string;
  value: string;
  count: number;
  total: number;
  /** The count as a part of the most frequent value's, from 0 to 1. */
  share: number;
  state: Filter | undefined;
  onFilter(filter: Filter): void;
}

export function FacetValueRow({ column, value, count: valueCount, total, share, state, onFilter }: Props) {
  return (
    <li class={`value-line ${state ?? ""}`} data-field={column} data-value={value}>
      <button
        type="button"
        class="value-button"
        aria-pressed={state === "include"}
        title={`${plainText(value)}\n${formatCount(valueCount)} of ${formatCount(total)}. Click to filter`}
        onClick={() => onFilter("include")}
      >
        <span class="value-name mono ellipsis">
          {state === "include" && <Icon name="check" size={12} />}
          {column === "severity" ? <SeverityMark severity={value} /> : <VisibleText text={value} />}
        </span>
        <span class="value-share">{formatPercent(valueCount, total)}</span>
        <span class="value-count">{formatCount(valueCount)}</span>
        <span class="value-bar" aria-hidden="true">
          <span class="bar-fill" style={{ width: `${Math.max(1, share * 100)}%` }} />
        </span>
      </button>
      <button
        type="button"
        class="icon-button value-exclude"
        title={`Exclude ${plainText(value)}`}
        aria-label={`Exclude ${plainText(value)}`}
        onClick={() => onFilter("exclude")}
      >
        <Icon name="minus" size={13} />
      </button>
    </li>
  );
}
