// The names of the columns above the list; columns are moved and removed here.
import { Icon } from "../../../components/icon.tsx";
import { shortName } from "../../../query/edit.ts";
import type { Clock } from "../../../api/search.ts";

interface Props {
  columns: string[];
  clock: Clock;
  zone: string;
  onColumns(columns: string[]): void;
}

export function ListHeader({ columns, clock, zone, onColumns }: Props) {
  const move = (from: number, by: number): void => {
    const moved = [...columns];
    const [column] = moved.splice(from, 1);
    moved.splice(from + by, 0, column!);
    onColumns(moved);
  };
  return (
    <div class="row list-header" role="row" aria-rowindex={1}>
      <span class="cell" role="columnheader" aria-sort="descending">
        {clock} <span class="muted">{zone}</span>
      </span>
      {columns.map((column, at) => (
        <span class="cell" role="columnheader">
          <span class="header-name" title={column}>
            {shortName(column)}
          </span>
          <span class="header-actions">
            {at > 0 && <Action icon="left" title={`Move ${column} left`} onClick={() => move(at, -1)} />}
            {at < columns.length - 1 && (
              <Action icon="right" title={`Move ${column} right`} onClick={() => move(at, 1)} />
            )}
            <Action
              icon="close"
              title={`Remove the column ${column}`}
              onClick={() => onColumns(columns.filter((name) => name !== column))}
            />
          </span>
        </span>
      ))}
      <span class="cell" role="columnheader">
        message
      </span>
    </div>
  );
}

function Action({ icon, title, onClick }: { icon: "left" | "right" | "close"; title: string; onClick: () => void }) {
  return (
    <button type="button" title={title} aria-label={title} onClick={onClick}>
      <Icon name={icon} size={11} />
    </button>
  );
}
