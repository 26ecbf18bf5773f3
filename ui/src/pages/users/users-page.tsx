// The users of the server: who there is, what each may do, and roles. For those who may administer every logspace.
import { useEffect, useMemo } from "preact/hooks";
import { PageHead, type PageProps } from "../../components/page-head.tsx";
import { StatusMessage } from "../../components/status-message.tsx";
import { currentPage, openPage } from "../../navigation/location.ts";
import "../../style/account.css";
import "../../style/users.css";
import type { PageName } from "../../view/route.ts";
import { RightsTab } from "./rights-tab.tsx";
import { RolesTab } from "./roles-tab.tsx";
import { UsersModel } from "./users-model.ts";
import { UsersTab } from "./users-tab.tsx";

const TABS: { page: PageName; label: string }[] = [
  { page: "users", label: "Users" },
  { page: "rights", label: "Rights" },
  { page: "roles", label: "Roles" },
];

export function UsersPage(props: PageProps) {
  const model = useMemo(() => new UsersModel(), []);
  useEffect(() => {
    model.start();
    return () => model.stop();
  }, []);
  const page = currentPage.value;
  useEffect(() => {
    const tab = TABS.find((one) => one.page === page);
    document.title = `${tab?.label ?? "Users"} \u00b7 Duramen`;
    model.forget();
  }, [page]);
  const list = model.list.value;
  const fault = model.fault.value;

  function changeRightsOf(user: string): void {
    openPage("users", "");
    model.open(user);
  }

  return (
    <div class="page">
      <PageHead {...props} title="Users" tabs={TABS} />
      <main class="cards" aria-busy={list === undefined && fault === undefined}>
        {fault !== undefined && (
          <StatusMessage
            icon="alert"
            title="The users cannot be shown"
            action="Try again"
            onAction={() => void model.read()}
          >
            <p>{fault}</p>
          </StatusMessage>
        )}
        {list && fault === undefined && page === "users" && (
          <UsersTab model={model} list={list} self={props.session.user} />
        )}
        {list && fault === undefined && page === "rights" && <RightsTab list={list} onChange={changeRightsOf} />}
        {list && fault === undefined && page === "roles" && <RolesTab model={model} list={list} />}
      </main>
    </div>
  );
}
