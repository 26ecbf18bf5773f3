// Adds what the search page shows to a dashboard.
//
// In: a panel, a dashboard that the user may change, or none for a new one. Out: signals. Holds: the list of dashboards
// while it is shown. Limits: a dashboard that others change at the same moment is read again, ATTEMPTS times.
import { signal } from "@preact/signals";
import {
  changeDashboard,
  createDashboard,
  listDashboards,
  readDashboard,
  type DashboardContent,
  type Panel,
} from "../../../api/dashboards.ts";
import { ApiError, bodyOf } from "../../../api/call.ts";
import type { SavedSummary } from "../../../api/objects.ts";
import type { Clock } from "../../../api/search.ts";
import type { Range } from "../../../time/range.ts";

const ATTEMPTS = 3;
const NAMES_MAX = 20;

/** What is shown, and where it was found. */
export interface Found {
  panel: Pick<Panel, "title" | "kind" | "query" | "options" | "w" | "h">;
  logspace: string;
  range: Range;
  clock: Clock;
}

export class BoardAdder {
  /** The dashboards that the user may change; undefined while they are read. */
  readonly boards = signal<SavedSummary[] | undefined>(undefined);
  readonly error = signal("");
  readonly busy = signal(false);
  /** The dashboard that has the panel now. */
  readonly added = signal<{ id: string; name: string } | undefined>(undefined);

  /** Reads the dashboards that the user may change. */
  async load(): Promise<void> {
    this.boards.value = undefined;
    this.error.value = "";
    this.added.value = undefined;
    try {
      const { objects } = await listDashboards();
      this.boards.value = objects.filter(({ level, file }) => level !== "view" && !file);
    } catch (cause) {
      this.boards.value = [];
      this.error.value = bodyOf(cause).message;
    }
  }

  /** Adds a panel below the others of a dashboard; without one, makes a dashboard of it. */
  async add(found: Found, board: SavedSummary | undefined): Promise<void> {
    this.busy.value = true;
    this.error.value = "";
    try {
      this.added.value = board ? await this.addTo(board.id, found) : await this.makeOf(found);
    } catch (cause) {
      this.error.value = bodyOf(cause).message;
    } finally {
      this.busy.value = false;
    }
  }

  private async addTo(id: string, found: Found): Promise<{ id: string; name: string }> {
    for (let attempt = 1; ; attempt++) {
      const board = await readDashboard(id);
      const { name, folder, description, tags, spec } = board;
      const own = spec.logspace === found.logspace ? "" : found.logspace;
      const panels = [...spec.panels, placed(found, spec.panels, own)];
      try {
        await changeDashboard(board, { name, folder, description, tags, spec: { ...spec, panels } });
        return { id, name };
      } catch (cause) {
        const isChanged = cause instanceof ApiError && cause.body.code === "changed";
        if (!isChanged || attempt === ATTEMPTS) throw cause;
      }
    }
  }

  private async makeOf(found: Found): Promise<{ id: string; name: string }> {
    const { from, to } = found.range;
    const content: DashboardContent = {
      name: found.panel.title || "New dashboard",
      folder: "",
      description: "",
      tags: [],
      spec: {
        logspace: found.logspace,
        time: { clock: found.clock, from, to },
        refresh_s: 0,
        parameters: [],
        panels: [placed(found, [], "")],
      },
    };
    for (let number = 1; ; number++) {
      const name = number === 1 ? content.name : `${content.name} ${number}`;
      try {
        const { id } = await createDashboard({ ...content, name });
        return { id, name };
      } catch (cause) {
        const isTaken = cause instanceof ApiError && cause.body.code === "conflict";
        if (!isTaken || number === NAMES_MAX) throw cause;
      }
    }
  }
}

function placed({ panel }: Found, others: Panel[], logspace: string): Panel {
  let number = others.length + 1;
  while (others.some(({ id }) => id === `panel-${number}`)) number++;
  const y = others.reduce((end, other) => Math.max(end, other.y + other.h), 0);
  return { ...panel, id: `panel-${number}`, x: 0, y, logspace };
}
