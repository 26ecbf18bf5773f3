// The dashboards that the user may see, with ways to new ones.
import { useEffect, useRef, useState } from "preact/hooks";
import { bodyOf } from "../../api/call.ts";
import { createDashboard, deleteDashboard, listDashboards, type DashboardContent } from "../../api/dashboards.ts";
import type { SavedSummary } from "../../api/objects.ts";
import { Button } from "../../components/button.tsx";
import { PageHead, type PageProps } from "../../components/page-head.tsx";
import { StatusMessage } from "../../components/status-message.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { followDashboard, openDashboard } from "../../navigation/location.ts";
import { formatShortTime } from "../../time/format.ts";
import { pathOf } from "../../view/route.ts";
import { zone } from "../../view/preferences.ts";

/** Largest file that is read; the server takes less. */
const FILE_BYTES_MAX = 256 << 10;

export function BoardList(props: PageProps) {
  const [list, setList] = useState<SavedSummary[]>();
  const [error, setError] = useState("");
  const [text, setText] = useState("");
  const [removing, setRemoving] = useState("");
  const file = useRef<HTMLInputElement>(null);
  const load = (): void =>
    void listDashboards().then(
      ({ objects }) => setList(objects),
      (cause) => setError(bodyOf(cause).message),
    );
  useEffect(() => {
    document.title = "Dashboards \u00b7 Duramen";
    load();
  }, []);
  const make = async (content: DashboardContent): Promise<void> => {
    for (let number = 1; number <= 20; number++) {
      try {
        const name = number === 1 ? content.name : `${content.name} ${number}`;
        const { id } = await createDashboard({ ...content, name });
        return openDashboard(id, "");
      } catch (cause) {
        const body = bodyOf(cause);
        if (body.code === "conflict" && number < 20) continue;
        return setError(body.message);
      }
    }
  };
  const read = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    if (chosen.size > FILE_BYTES_MAX) return setError(`${chosen.name} is larger than a dashboard can be.`);
    const content = contentOf(await chosen.text());
    if (typeof content === "string") setError(`${chosen.name}: ${content}`);
    else await make(content);
  };
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = list?.filter((one) => {
    const all = [one.name, one.folder, one.owner, one.summary, ...one.tags].join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <div class="page">
      <PageHead {...props} title="Dashboards" tabs={[]} />
      <div class="page-filters">
        <input
          type="search"
          class="board-find"
          aria-label="Find dashboards"
          placeholder="Find by name, folder, tag or owner"
          maxLength={200}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button icon="plus" title="New dashboard" kind="primary" onClick={() => void make(EMPTY)}>
          New
        </Button>
        <Button title="Read a dashboard from a file" kind="outlined" onClick={() => file.current?.click()}>
          Import
        </Button>
        <input
          ref={file}
          type="file"
          class="visually-hidden"
          tabIndex={-1}
          aria-label="File of a dashboard"
          accept=".json,application/json"
          onChange={(event) => {
            void read(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </div>
      {error && (
        <p class="alert-error" role="alert">
          {error}
        </p>
      )}
      <main class="board-scroll">
        {shown?.length === 0 && (
          <StatusMessage icon="bars" title={words.length > 0 ? "No dashboard has this text" : "No dashboards yet"}>
            <p>A dashboard shows numbers, charts and messages of several queries, all of the same moment.</p>
          </StatusMessage>
        )}
        {shown && shown.length > 0 && (
          <table class="board-table">
            <caption class="visually-hidden">Dashboards</caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Panels</th>
                <th scope="col">Owner</th>
                <th scope="col">Tags</th>
                <th scope="col">Changed</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    <a href={`${pathOf("dashboards")}/${one.id}`} onClick={(event) => followDashboard(event, one.id)}>
                      {one.folder && (
                        <span class="muted">
                          <VisibleText text={`${one.folder} / `} />
                        </span>
                      )}
                      <VisibleText text={one.name} />
                    </a>
                  </th>
                  <td class="muted board-summary">
                    <VisibleText text={one.summary} />
                  </td>
                  <td>
                    {one.file ? (
                      <span class="muted">{one.file === BUILT_IN ? "built in" : "a file"}</span>
                    ) : (
                      <VisibleText text={one.owner} />
                    )}
                  </td>
                  <td>
                    <VisibleText text={one.tags.join(", ")} />
                  </td>
                  <td class="nowrap">{one.changed_us > 0 && formatShortTime(one.changed_us, zone.value)}</td>
                  <td class="nowrap">
                    {one.level !== "view" && !one.file && (
                      <Button
                        title={`${removing === one.id ? "Really delete" : "Delete"} ${one.name}; it can be restored for 30 days`}
                        onClick={() => {
                          if (removing !== one.id) return setRemoving(one.id);
                          setRemoving("");
                          void deleteDashboard(one).then(load, (cause) => setError(bodyOf(cause).message));
                        }}
                      >
                        {removing === one.id ? "Really delete" : "Delete"}
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </main>
    </div>
  );
}

/** The file of objects that are a part of the program. */
const BUILT_IN = "(built in)";

const EMPTY: DashboardContent = {
  name: "New dashboard",
  folder: "",
  description: "",
  tags: [],
  spec: {
    logspace: "",
    time: { clock: "received", from: "now-24h", to: "now" },
    refresh_s: 0,
    parameters: [],
    panels: [
      {
        id: "messages",
        title: "Messages",
        kind: "number",
        x: 0,
        y: 0,
        w: 3,
        h: 2,
        logspace: "",
        query: "*",
        options: { compare: true },
      },
      { id: "course", title: "Over time", kind: "bar", x: 3, y: 0, w: 9, h: 2, logspace: "", query: "*", options: {} },
    ],
  },
};

/** Reads the content of a file; a text says what is wrong with it. The server checks the specification. */
export function contentOf(text: string): DashboardContent | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return cause instanceof Error ? cause.message : "this is no JSON";
  }
  const file = value as Partial<DashboardContent> & { kind?: unknown };
  if (typeof file !== "object" || file === null || file.kind !== "dashboard") return "this is no file of a dashboard";
  if (typeof file.name !== "string" || typeof file.spec !== "object") return "a name and a specification are needed";
  const words = (list: unknown): string[] => (Array.isArray(list) ? list.filter((one) => typeof one === "string") : []);
  const line = (one: unknown): string => (typeof one === "string" ? one : "");
  return {
    name: file.name,
    folder: line(file.folder),
    description: line(file.description),
    tags: words(file.tags),
    spec: file.spec,
  };
}
