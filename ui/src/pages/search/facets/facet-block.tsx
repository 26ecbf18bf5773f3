// The values of one column in the current result: exact counts, a click to filter and a click to exclude.
import { useEffect, useState } from "preact/hooks";
import type { Facet, FacetValue } from "../../../api/facets.ts";
import { Icon } from "../../../components/icon.tsx";
import { shortName, type Filter } from "../../../query/edit.ts";
import { formatCount, formatPercent } from "../../../time/format.ts";
import { FacetValueRow } from "./facet-value.tsx";

/** Values of a facet that are shown before "more"; all severities fit. */
const VALUES_SHOWN = 8;
const VALUES_FOUND_MAX = 40;

interface Props {
  column: string;
  facet: Facet | undefined;
  total: number;
  inList: boolean;
  activeFilter(value: string): Filter | undefined;
  onFilter(value: string, filter: Filter): void;
  onClose(): void;
  onColumn(): void;
  loadAll(): Promise<Facet | undefined>;
}

export function FacetBlock({
  column,
  facet,
  total,
  inList,
  activeFilter,
  onFilter,
  onClose,
  onColumn,
  loadAll,
}: Props) {
  const [searching, setSearching] = useState(false);
  const [search, setSearch] = useState("");
  const [more, setMore] = useState(false);
  const [allValues, setAllValues] = useState<Facet>();

  useEffect(() => {
    if (!searching && !more) return undefined;
    let cancelled = false;
    loadAll().then(
      (facet) => !cancelled && setAllValues(facet),
      () => undefined,
    );
    return () => {
      cancelled = true;
    };
  }, [searching, more, facet]);

  const needle = search.trim().toLowerCase();
  const from = (searching || more ? allValues : undefined) ?? facet;
  const known = column === "severity" ? byRank(from?.values ?? []) : (from?.values ?? []);
  const matching = known.filter(({ value }) => value.toLowerCase().includes(needle));
  const values = matching.slice(0, searching || more ? VALUES_FOUND_MAX : VALUES_SHOWN);
  const whole = facet?.alternatives ? facet.coverage : total;
  const largest = Math.max(1, ...(from?.values ?? []).map(({ count }) => count));
  const rest = (facet?.coverage ?? 0) - values.reduce((sum, value) => sum + value.count, 0);
  return (
    <section class="facet" aria-label={column}>
      <h3 class="facet-head">
        <span class="facet-name mono ellipsis" title={column}>
          {shortName(column)}
        </span>
        {facet && facet.distinct > 0 && (
          <span class="facet-distinct" title={`${formatCount(facet.distinct)} different values`}>
            {formatCount(facet.distinct)}
          </span>
        )}
        <span class="facet-actions">
          <HeaderButton
            icon="search"
            title={`Search the values of ${column}`}
            on={searching}
            onClick={() => {
              setSearching(!searching);
              setSearch("");
            }}
          />
          <HeaderButton
            icon="column"
            title={inList ? `Remove the column ${column}` : `Show ${column} as a column`}
            on={inList}
            onClick={onColumn}
          />
          <HeaderButton icon="close" title={`Close ${column}`} onClick={onClose} />
        </span>
      </h3>
      {facet && facet.coverage < whole && (
        <p class="facet-coverage">in {formatPercent(facet.coverage, whole)} of the messages</p>
      )}
      {facet?.alternatives && <p class="facet-coverage">whatever {shortName(column)} is selected</p>}
      {searching && (
        <input
          class="facet-search"
          type="search"
          placeholder="Find a value"
          aria-label={`Find a value of ${column}`}
          autofocus
          ref={(input) => {
            if (input && !search) input.focus();
          }}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ul>
        {values.map(({ value, count: valueCount }) => (
          <FacetValueRow
            key={value}
            column={column}
            value={value}
            count={valueCount}
            total={whole}
            share={valueCount / largest}
            state={activeFilter(value)}
            onFilter={(filter) => onFilter(value, filter)}
          />
        ))}
      </ul>
      {facet && values.length === 0 && (
        <p class="facet-empty">
          {needle ? "No such value." : whole === 0 ? "Nothing to count." : "No message has this field."}
        </p>
      )}
      {!searching && facet && facet.distinct > VALUES_SHOWN && (
        <button type="button" class="link-button facet-more" onClick={() => setMore(!more)}>
          {more
            ? "Show fewer"
            : `${formatCount(facet.distinct - values.length)} more \u00b7 ${formatPercent(rest, whole)}`}
        </button>
      )}
    </section>
  );
}

/** The severities from the most to the least severe. */
const SEVERITIES = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

function byRank(values: FacetValue[]): FacetValue[] {
  return [...values].sort((a, b) => SEVERITIES.indexOf(a.value) - SEVERITIES.indexOf(b.value));
}

function HeaderButton({
  icon,
  title,
  on,
  onClick,
}: {
  icon: "search" | "column" | "close";
  title: string;
  on?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={`icon-button ${on ? "on" : ""}`}
      title={title}
      aria-label={title}
      aria-pressed={on}
      onClick={onClick}
    >
      <Icon name={icon} size={13} />
    </button>
  );
}
