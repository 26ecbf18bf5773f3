// The values of one column in the current result: exact counts, filter and exclude with one click each.
import { useEffect, useState } from "preact/hooks";
import type { Facet } from "../../../api/facets.ts";
import { Icon } from "../../../components/icon.tsx";
import { shortName, type Filter } from "../../../query/edit.ts";
import { count, percent } from "../../../time/format.ts";
import { FacetValueLine } from "./facet-value.tsx";

const VALUES_SHOWN = 6;
const VALUES_FOUND_MAX = 40;

interface Props {
  column: string;
  facet: Facet | undefined;
  total: number;
  inList: boolean;
  stateOf(value: string): Filter | undefined;
  onFilter(value: string, filter: Filter): void;
  onClose(): void;
  onColumn(): void;
  all(): Promise<Facet | undefined>;
}

export function FacetBlock({ column, facet, total, inList, stateOf, onFilter, onClose, onColumn, all }: Props) {
  const [searching, setSearching] = useState(false);
  const [search, setSearch] = useState("");
  const [more, setMore] = useState(false);
  const [whole, setWhole] = useState<Facet>();

  useEffect(() => {
    if (!searching && !more) return undefined;
    let gone = false;
    all().then(
      (facet) => !gone && setWhole(facet),
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [searching, more, facet]);

  const wanted = search.trim().toLowerCase();
  const from = (searching || more ? whole : undefined) ?? facet;
  const matching = (from?.values ?? []).filter(({ value }) => value.toLowerCase().includes(wanted));
  const values = matching.slice(0, searching || more ? VALUES_FOUND_MAX : VALUES_SHOWN);
  const most = from?.values[0]?.count ?? 1;
  const rest = (facet?.coverage ?? 0) - values.reduce((sum, value) => sum + value.count, 0);
  return (
    <section class="facet" aria-label={column}>
      <h3 class="facet-head">
        <span class="facet-name mono clip" title={column}>
          {shortName(column)}
        </span>
        {facet && facet.distinct > 0 && (
          <span class="facet-distinct" title={`${count(facet.distinct)} different values`}>
            {count(facet.distinct)}
          </span>
        )}
        <span class="facet-actions">
          <Tool
            icon="search"
            title={`Search the values of ${column}`}
            on={searching}
            onClick={() => {
              setSearching(!searching);
              setSearch("");
            }}
          />
          <Tool
            icon="column"
            title={inList ? `Remove the column ${column}` : `Show ${column} as a column`}
            on={inList}
            onClick={onColumn}
          />
          <Tool icon="close" title={`Close ${column}`} onClick={onClose} />
        </span>
      </h3>
      {facet && facet.coverage < total && (
        <p class="facet-coverage">in {percent(facet.coverage, total)} of the messages</p>
      )}
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
        {values.map(({ value, count: many }) => (
          <FacetValueLine
            key={value}
            column={column}
            value={value}
            count={many}
            total={total}
            share={many / most}
            state={stateOf(value)}
            onFilter={(filter) => onFilter(value, filter)}
          />
        ))}
      </ul>
      {facet && values.length === 0 && (
        <p class="facet-none">
          {wanted ? "No such value." : total === 0 ? "Nothing to count." : "No message has this field."}
        </p>
      )}
      {!searching && facet && facet.distinct > VALUES_SHOWN && (
        <button type="button" class="linklike facet-more" onClick={() => setMore(!more)}>
          {more ? "Show fewer" : `${count(facet.distinct - values.length)} more \u00b7 ${percent(rest, total)}`}
        </button>
      )}
    </section>
  );
}

function Tool({
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
      class={`tiny ${on ? "on" : ""}`}
      title={title}
      aria-label={title}
      aria-pressed={on}
      onClick={onClick}
    >
      <Icon name={icon} size={13} />
    </button>
  );
}
