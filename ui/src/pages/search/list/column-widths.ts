// The widths of the list's columns: as wide as their content, within limits.
import { columnOf, type Row } from "../../../api/row.ts";
import { shortName } from "../../../query/edit.ts";

const SAMPLE_ROWS = 80;
const CHARACTERS_MIN = 6;
const CHARACTERS_MAX = 26;
const TIME_WIDTH = "21ch";
const DATED_TIME_WIDTH = "25ch";
const SEVERITY_WIDTH = "11ch";

/** Returns the value of grid-template-columns. `at` gives the rows at the top of the list. */
export function gridColumns(columns: string[], at: (index: number) => Row | undefined, years: boolean): string {
  const sample: Row[] = [];
  for (let index = 0; index < SAMPLE_ROWS; index++) {
    const row = at(index);
    if (row) sample.push(row);
  }
  const widths = columns.map((column) => {
    if (column === "severity") return SEVERITY_WIDTH;
    const longest = sample.reduce(
      (most, row) => Math.max(most, columnOf(row, column).length),
      Math.min(shortName(column).length + 1, 18),
    );
    return `${Math.min(CHARACTERS_MAX, Math.max(CHARACTERS_MIN, longest)) + 2}ch`;
  });
  return [years ? DATED_TIME_WIDTH : TIME_WIDTH, ...widths, "minmax(24ch, 1fr)"].join(" ");
}
