// A rule: what it looks for, when it fires, and which messages it has evaluated.
import type { Rule, RuleState } from "../../api/rules.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { SeverityMark } from "../../components/severity.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { follow } from "../../navigation/location.ts";
import { encodeView } from "../../view/codec.ts";
import { pathOf } from "../../view/route.ts";
import { DEFAULT_VIEW } from "../../view/view.ts";
import { encodeInbox } from "../alerts/inbox-view.ts";
import { RuleActions } from "./rule-actions.tsx";
import { coveragePart, coverageText, levelOf } from "../alerts/coverage.ts";

/** Gaps that are listed; their number is in the sentence above them. */
const GAPS_SHOWN = 20;

interface Props {
  rule: Rule;
  states: RuleState[];
  user: string;
  onChanged(): void;
  onClose(): void;
}

export function RulePane({ rule, states, user, onChanged, onClose }: Props) {
  const inbox = encodeInbox({ state: "all", rule: rule.id, open: undefined });
  const logspace = rule.logspaces[0]?.logspace ?? "";
  const day = { from: "now-24h", to: "now" };
  const found = encodeView({ ...DEFAULT_VIEW, logspace, query: rule.query, range: day });
  return (
    <section class="alert-pane" aria-label="Rule">
      <header class="alert-pane-head">
        <h2>
          <VisibleText text={rule.title} />
        </h2>
        <Button icon="close" title="Close" shortcut="Esc" onClick={onClose} />
      </header>
      {rule.description && (
        <p class="alert-description">
          <VisibleText text={rule.description} />
        </p>
      )}
      <dl class="facts">
        <dt>Looks for</dt>
        <dd>
          <code>
            <VisibleText text={rule.query || "*"} />
          </code>
        </dd>
        <dt>Fires at</dt>
        <dd>
          {rule.condition}
          {rule.by.length > 0 && `, for each ${rule.by.join(", ")}`}
        </dd>
        <dt>Severity</dt>
        <dd>
          <SeverityMark severity={rule.severity} />
        </dd>
        <dt>Id</dt>
        <dd class="mono">{rule.id}</dd>
        {rule.object ? (
          <>
            <dt>Owner</dt>
            <dd>
              {rule.object.owner || "nobody"}
              {rule.object.owner_removed && " (removed)"}
            </dd>
            {rule.object.file && (
              <>
                <dt>File</dt>
                <dd class="mono">{rule.object.file}</dd>
              </>
            )}
          </>
        ) : (
          <>
            <dt>File</dt>
            <dd class="mono">{rule.file}</dd>
          </>
        )}
      </dl>
      {rule.state === "stopped" && (
        <p class="coverage stopped">
          <Icon name="alert" size={14} />
          <span>
            It is stopped, because {rule.reason}. It goes on when its owner may, or when somebody who may has it.
          </span>
        </p>
      )}
      <RuleActions key={rule.id} rule={rule} user={user} onChanged={onChanged} />
      <p class="pane-buttons">
        <a class="button primary" href={pathOf("alerts") + inbox} onClick={(event) => follow(event, "alerts", inbox)}>
          <Icon name="bell" /> Its alerts
        </a>
        <a class="button outlined" href={pathOf("search") + found} onClick={(event) => follow(event, "search", found)}>
          <Icon name="search" /> Messages of the last day
        </a>
      </p>
      {rule.logspaces.length > 0 && <h3>Which messages it has evaluated</h3>}
      {rule.logspaces.map((health) => {
        const coverage = states.find(({ logspace }) => logspace === health.logspace)?.coverage ?? [];
        const gaps = coverage.filter(({ state }) => state !== "evaluated");
        return (
          <div class="coverage-part">
            <p class={`coverage ${levelOf(health)}`}>
              <Icon name={levelOf(health) === "well" ? "check" : "alert"} size={14} />
              <span>
                <b>{health.logspace}</b>: {coverageText(health)}
                {health.trouble !== null && `: ${health.trouble}`}
              </span>
            </p>
            {gaps.length > 0 && (
              <ul class="gaps">
                {gaps.slice(-GAPS_SHOWN).map((gap) => (
                  <li>{coveragePart(gap)}</li>
                ))}
              </ul>
            )}
          </div>
        );
      })}
    </section>
  );
}
