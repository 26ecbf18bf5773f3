// The figures of a panel as CSV (RFC 4180), and files that the browser saves.
import type { Panel, PanelAnswer } from "../../api/dashboards.ts";
import { columnOf } from "../../api/row.ts";
import { fromUs } from "../../time/range.ts";
import { numberIn } from "./charts/chart-data.ts";

/** A cell in quotes where it needs them. A text that a spreadsheet would take for a formula begins with an apostrophe. */
function cell(value: unknown): string {
  const isText = typeof value === "string";
  let text =
    value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  if (isText && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(panel: Panel, shown: PanelAnswer): string {
  const answer = shown.answer;
  const lines: unknown[][] = [];
  if (!answer) return "";
  if (panel.kind === "messages") {
    const columns = panel.options.columns?.length ? panel.options.columns : ["severity", "host", "program"];
    lines.push(["received", ...columns, "message"]);
    for (const row of answer.rows)
      lines.push([fromUs(row.received_us), ...columns.map((name) => columnOf(row, name)), row.message]);
  } else if (answer.table) lines.push(answer.table.columns, ...answer.table.rows);
  else if (panel.kind === "number") lines.push([panel.title || "number"], [numberIn(answer)]);
  else {
    lines.push(["time", "messages"]);
    const { start_us, width_us, counts } = answer.bars;
    for (const [index, count] of counts.entries()) lines.push([fromUs(start_us + index * width_us), count]);
  }
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
