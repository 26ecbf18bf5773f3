// Dashboards of the mock: those that are a part of the server, and runs whose panels are searches of the mock.
import { readdirSync, readFileSync } from "node:fs";
import type { Dashboard, DashboardSpec, PanelAnswer, RunRequest } from "../src/api/dashboards.ts";
import type { SearchAnswer, SearchRequest } from "../src/api/search.ts";
import { asRefusal, Refusal } from "./http.ts";

const FOLDER = new URL("../../crates/objects/src/provisioned/shipped/", import.meta.url);

export function builtIn(): Dashboard[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
  return files.map((name) => {
    const object = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as Dashboard;
    const about = { owner: "", revision: 0, changed_us: 0, changed_by: "", level: "view" as const, shared: true };
    return {
      ...object,
      ...about,
      summary: object.spec.panels.map(({ title }) => title).join(", "),
      file: "(built in)",
    };
  });
}

export function runPanels(
  spec: DashboardSpec,
  run: RunRequest,
  search: (request: SearchRequest) => SearchAnswer,
): { taken_us: number; snapshot: Record<string, number>; panels: PanelAnswer[] } {
  const panels = spec.panels.filter(({ kind }) => kind !== "text");
  return {
    taken_us: Date.now() * 1000,
    snapshot: {},
    panels: panels.map(({ id, kind, query: written, logspace: own, time, options }) => {
      const logspace = own || run.in || spec.logspace || "main";
      const query = withFilters(bound(written, spec, run), run);
      const given = run.from === undefined && run.to === undefined ? spec.time : run;
      const { from, to } = time ?? given;
      const range = { clock: run.clock ?? spec.time.clock, ...(from ? { from } : {}), ...(to ? { to } : {}) };
      const limit = kind === "messages" ? options.rows || 50 : 0;
      try {
        return {
          id,
          logspace,
          query,
          answer: search({ logspace, query, time: range, limit, bars: kind === "number" ? 0 : 60 }),
        };
      } catch (cause) {
        return { id, logspace, query, error: asRefusal(cause).body as unknown as NonNullable<PanelAnswer["error"]> };
      }
    }),
  };
}

const quoted = (value: string): string => `"${value.replace(/[\\"*?]/g, "\\$&")}"`;

function bound(query: string, spec: DashboardSpec, run: RunRequest): string {
  return query.replace(/\$\{([a-z0-9_]+)\}/g, (_, name: string) => {
    const parameter = spec.parameters.find((known) => known.name === name);
    if (!parameter) throw new Refusal(400, "query_syntax", `there is no parameter ${name}`);
    const value = run.params?.[name] || parameter.default;
    return value ? (parameter.type === "number" ? value : quoted(value)) : "*";
  });
}

function withFilters(query: string, run: RunRequest): string {
  const [condition = "", ...pipes] = query.split("|");
  const terms = (run.filters ?? []).map(({ field, value }) => `${field}:${quoted(value)}`);
  const isAll = condition.trim() === "" || condition.trim() === "*";
  const all = [...(isAll ? [] : [terms.length > 0 ? `(${condition.trim()})` : condition.trim()]), ...terms];
  return [all.join(" AND ") || "*", ...pipes.map((pipe) => pipe.trim())].join(" | ");
}
