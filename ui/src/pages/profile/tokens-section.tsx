// API tokens: those that there are, the one that was just made, and a new one.
import { useState } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import type { ApiToken } from "../../api/tokens.ts";
import { CopyLine } from "../../components/copy-line.tsx";
import { Section } from "../../components/section.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { formatDate, formatShortTime } from "../../time/format.ts";
import { below } from "../../view/route.ts";
import { zone } from "../../view/preferences.ts";
import { NewTokenForm } from "./new-token-form.tsx";
import type { ProfileModel } from "./profile-model.ts";

const MINUTE_US = 60_000_000;

export function TokensSection({ model, logspaces }: { model: ProfileModel; logspaces: Logspace[] }) {
  const [adding, setAdding] = useState(false);
  const { outcome, tokens, made } = model;
  return (
    <Section
      id="profile-tokens"
      title="API tokens"
      about={
        <>
          What programs use instead of your password; each may do a part of what you may.{" "}
          <a href={below("manual/manual/accounts.html")}>How they are used</a>
        </>
      }
      outcome={outcome.value?.section === "tokens" ? outcome.value : undefined}
    >
      {made.value && (
        <CopyLine
          label={`The token ${made.value.name}, which is shown only this once`}
          text={made.value.token}
          onDone={() => (made.value = undefined)}
        />
      )}
      {tokens.value && tokens.value.length > 0 && (
        <ul class="card-list" aria-label="API tokens">
          {tokens.value.map((token) => (
            <TokenRow key={token.id} token={token} model={model} />
          ))}
        </ul>
      )}
      {tokens.value?.length === 0 && !adding && <p class="muted">You have none.</p>}
      {adding ? (
        <NewTokenForm model={model} logspaces={logspaces} onClose={() => setAdding(false)} />
      ) : (
        <p class="card-buttons">
          <button type="button" class="button outlined" onClick={() => setAdding(true)}>
            New token
          </button>
        </p>
      )}
    </Section>
  );
}

function TokenRow({ token, model }: { token: ApiToken; model: ProfileModel }) {
  const isOver = token.expires_us <= Date.now() * 1000;
  const used = token.used_us === undefined ? undefined : token.used_us - (token.used_us % MINUTE_US);
  const reach = token.logspaces.includes("*") ? "all logspaces" : token.logspaces.join(", ");
  return (
    <li class="card-row">
      <span class="card-what">
        <b>
          <VisibleText text={token.name} />
        </b>
        <code class="muted">{`\u2026${token.last_four}`}</code>
        {isOver && <span class="mark over">expired</span>}
        <span class="muted">
          {token.scopes.join(", ")}; {reach}
          {token.networks.length > 0 && `; from ${token.networks.join(", ")}`}
        </span>
        <span class="muted">
          {isOver ? "expired" : "expires"} {formatDate(token.expires_us, zone.value)},{" "}
          {used === undefined
            ? "never used"
            : `last used ${formatShortTime(used, zone.value)}${token.used_from ? ` from ${token.used_from}` : ""}`}
        </span>
      </span>
      <button
        type="button"
        class="button outlined small"
        aria-label={`Revoke ${token.name}`}
        disabled={model.busy.value}
        onClick={() => void model.revokeToken(token)}
      >
        Revoke
      </button>
    </li>
  );
}
