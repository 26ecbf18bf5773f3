// Two states of a saved search side by side, where they differ.
import { VisibleText } from "../../../components/visible-text.tsx";
import type { Difference } from "../../../view/saved-search.ts";

export function Differences({ rows, one, other }: { rows: Difference[]; one: string; other: string }) {
  if (rows.length === 0) return null;
  return (
    <table class="saved-differences">
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Member</span>
          </th>
          <th scope="col">{one}</th>
          <th scope="col">{other}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.what}>
            <th scope="row">{row.what}</th>
            <td>
              <VisibleText text={row.one} />
            </td>
            <td>
              <VisibleText text={row.other} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
