// The rules: those in force, each with how well it does, and saved ones that are not.
import { useEffect, useMemo } from "preact/hooks";
import type { Rule } from "../../api/rules.ts";
import { Icon } from "../../components/icon.tsx";
import { ALERT_TABS, PageHead, type PageProps } from "../../components/page-head.tsx";
import { SeverityMark } from "../../components/severity.tsx";
import { StatusMessage } from "../../components/status-message.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { follow } from "../../navigation/location.ts";
import { formatCount } from "../../time/format.ts";
import { below, pathOf } from "../../view/route.ts";
import { levelOf, type HealthLevel } from "../alerts/coverage.ts";
import "../../style/alerts.css";
import { RulePane } from "./rule-pane.tsx";
import { RulesModel } from "./rules-model.ts";

const LEVEL_WORDS: Record<HealthLevel, string> = {
  well: "without a gap",
  warning: "late or with gaps",
  stopped: "stopped",
};

const STATE_WORDS: Record<Rule["state"], string> = {
  running: "",
  waiting: "begins",
  off: "switched off",
  stopped: "stopped",
};

export function RulesPage(props: PageProps) {
  const model = useMemo(() => new RulesModel(), []);
  useEffect(() => {
    model.start();
    document.title = "Rules \u00b7 Duramen";
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || model.openId.value === undefined) return;
      model.open(undefined);
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      model.stop();
    };
  }, []);
  const list = model.list.value;
  const isAdministrator = props.session.may.includes("administer");
  const opened = model.opened.value;
  return (
    <div class="page">
      <PageHead {...props} title="Alerts" tabs={ALERT_TABS} />
      <div class="page-filters">
        <label class="rule-find">
          <Icon name="search" size={14} />
          <span class="visually-hidden">Find rules</span>
          <input
            type="search"
            placeholder="Find by title, id or query"
            value={model.text.value}
            maxLength={200}
            onInput={(event) => model.find(event.currentTarget.value)}
          />
        </label>
        <a class="button primary" href={pathOf("draft")} onClick={(event) => follow(event, "draft", "")}>
          <Icon name="plus" /> New rule
        </a>
        {isAdministrator && (
          <label class="rule-all">
            <input
              type="checkbox"
              checked={model.all.value}
              onChange={(event) => model.showAll(event.currentTarget.checked)}
            />
            of all users
          </label>
        )}
        {list && (
          <span class="muted" role="status">
            {list.more && "more than "}
            {formatCount(list.rules.length)} {list.rules.length === 1 ? "rule" : "rules"}
          </span>
        )}
      </div>
      <main class={`panels ${opened ? "with-alert" : ""}`}>
        <div class="alert-column">
          {model.error.value && (
            <p class="alert-error" role="alert">
              {model.error.value.message}
            </p>
          )}
          {list && <Problems problems={list.problems} exist={list.has_problems} />}
          {list && list.rules.length === 0 && <Nothing text={model.text.value} onAll={() => model.find("")} />}
          {list && list.rules.length > 0 && (
            <ul class="alert-list rule-list" aria-label="Rules">
              {list.rules.map((rule) => (
                <RuleRow key={rule.id} rule={rule} open={rule.id === opened?.id} onOpen={() => model.open(rule.id)} />
              ))}
            </ul>
          )}
        </div>
        {opened && (
          <RulePane
            rule={opened}
            states={model.states.value}
            user={props.session.user}
            onChanged={() => void model.read("ask")}
            onClose={() => model.open(undefined)}
          />
        )}
      </main>
    </div>
  );
}

function RuleRow({ rule, open, onOpen }: { rule: Rule; open: boolean; onOpen(): void }) {
  const levels = rule.logspaces.map(levelOf);
  const worst = levels.find((one) => one === "stopped") ?? levels.find((one) => one === "warning") ?? "well";
  const level = rule.state === "running" ? worst : rule.state === "stopped" ? "stopped" : "warning";
  const firing = rule.logspaces.reduce((sum, health) => sum + health.firing, 0);
  return (
    <li class="alert-row rule-row">
      <button type="button" class="alert-open" aria-current={open} onClick={onOpen}>
        <SeverityMark severity={rule.severity} />
        <span class="alert-what">
          <span class="alert-title">
            <VisibleText text={rule.title} />
          </span>
          <span class="rule-condition muted">
            <code>
              <VisibleText text={rule.query || "*"} />
            </code>
            {", "}
            {rule.condition}
            {rule.by.length > 0 && `, for each ${rule.by.join(", ")}`}
          </span>
        </span>
        <span class="rule-firing">{firing > 0 && <b>{formatCount(firing)} firing</b>}</span>
        <span class={`coverage ${level}`}>
          <Icon name={level === "well" ? "check" : "alert"} size={14} />
          {rule.state === "running" ? LEVEL_WORDS[level] : STATE_WORDS[rule.state]}
        </span>
        <span class="rule-file muted">
          <span class="ellipsis">{rule.file ?? (rule.object?.owner ? `of ${rule.object.owner}` : "saved")}</span>
        </span>
      </button>
    </li>
  );
}

/** Files that could not be used: the rules of before stay in force. */
function Problems({ problems, exist }: { problems: string[]; exist: boolean }) {
  if (!exist) return null;
  return (
    <div class="alert-error" role="alert">
      <p>
        <b>Some rules could not be used.</b>{" "}
        {problems.length === 0 && "Who administers the server sees which, and why."}
      </p>
      <ul>
        {problems.map((problem) => (
          <li>{problem}</li>
        ))}
      </ul>
    </div>
  );
}

function Nothing({ text, onAll }: { text: string; onAll(): void }) {
  if (text.trim())
    return (
      <StatusMessage icon="search" title="No rule has this text" action="Show all rules" onAction={onAll}>
        <p>Titles, ids, descriptions and queries were searched.</p>
      </StatusMessage>
    );
  return (
    <StatusMessage icon="rule" title="No rules yet">
      <p>
        <i>New rule</i> saves one on the server. Rules may also be kept in files in the folder <code>rules</code> beside
        the configuration; a reload reads them. <a href={below("manual/manual/rules.html")}>How to write rules</a>
      </p>
      <pre>{EXAMPLE}</pre>
    </StatusMessage>
  );
}

const EXAMPLE = `rules:
- id: failed-logins
  title: Many failed logins from one address
  query: program:sshd "failed password"
  by: peer
  kind: count
  more-than: 10
  within: 1m
`;
