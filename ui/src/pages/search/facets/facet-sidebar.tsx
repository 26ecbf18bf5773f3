// The sidebar: the top values of some columns, and the names of all others.
import { useState } from "preact/hooks";
import type { Column } from "../../../api/columns.ts";
import type { Facet } from "../../../api/facets.ts";
import { Icon } from "../../../components/icon.tsx";
import { shortName, type Filter } from "../../../query/edit.ts";
import { formatCompact, formatCount } from "../../../time/format.ts";
import { FacetBlock } from "./facet-block.tsx";

interface Props {
  facets: Facet[];
  /** Columns with open facets; some may still be loading. */
  open: string[];
  columns: Column[];
  shown: string[];
  total: number;
  activeFilter(column: string, value: string): Filter | undefined;
  onFilter(column: string, value: string, filter: Filter): void;
  onOpen(columns: string[]): void;
  onColumn(column: string): void;
  loadAll(column: string): Promise<Facet | undefined>;
}

export function FacetSidebar(props: Props) {
  const { facets, open, columns, shown, total } = props;
  const [search, setSearch] = useState("");
  const needle = search.trim().toLowerCase();
  const otherColumns = columns.filter(({ name }) => !open.includes(name) && name.toLowerCase().includes(needle));
  return (
    <nav class="sidebar" aria-label="Fields">
      {open.map((column) => {
        const facet = facets.find((known) => known.column === column);
        return (
          <FacetBlock
            key={column}
            column={column}
            facet={facet}
            total={total}
            inList={shown.includes(column)}
            activeFilter={(value) => props.activeFilter(column, value)}
            onFilter={(value, filter) => props.onFilter(column, value, filter)}
            onClose={() => props.onOpen(open.filter((name) => name !== column))}
            onColumn={() => props.onColumn(column)}
            loadAll={() => props.loadAll(column)}
          />
        );
      })}
      <section class="facet">
        <h3 class="facet-head">
          <span class="facet-name plain">More fields</span>
          <span class="facet-distinct">in the whole logspace</span>
        </h3>
        {columns.length - open.length > 8 && (
          <input
            class="facet-search"
            type="search"
            placeholder="Find a field"
            aria-label="Find a field"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        )}
        <ul class="fields">
          {otherColumns.map(({ name, documents, numeric }) => (
            <li class="field-line">
              <button
                type="button"
                class="field-name"
                title={`${name}: in ${formatCount(documents)} messages. Show its values`}
                onClick={() => props.onOpen([...open, name])}
              >
                <span class="field-type" aria-label={numeric ? "number" : "text"}>
                  {numeric ? "#" : "t"}
                </span>
                <span class="mono ellipsis">{shortName(name)}</span>
              </button>
              <span class="field-count">{formatCompact(documents)}</span>
              <button
                type="button"
                class={`icon-button ${shown.includes(name) ? "on" : ""}`}
                aria-pressed={shown.includes(name)}
                title={shown.includes(name) ? `Remove the column ${name}` : `Show ${name} as a column`}
                aria-label={`Column ${name}`}
                onClick={() => props.onColumn(name)}
              >
                <Icon name="column" size={13} />
              </button>
            </li>
          ))}
          {otherColumns.length === 0 && (
            <li class="facet-empty">
              {needle
                ? "No field of that name."
                : columns.length === 0
                  ? "Known after the first search."
                  : "No other fields."}
            </li>
          )}
        </ul>
      </section>
    </nav>
  );
}
