// The second factor: off, being enrolled, or on.
import { useState } from "preact/hooks";
import { CodeField } from "../../components/code-field.tsx";
import { CopyLine } from "../../components/copy-line.tsx";
import { Section } from "../../components/section.tsx";
import { formatDate } from "../../time/format.ts";
import { zone } from "../../view/preferences.ts";
import { PasswordQuestion } from "../../components/password-question.tsx";
import type { ProfileModel } from "./profile-model.ts";

/** What the password is asked for. */
type Question = "begin" | "renew" | "remove";

export function FactorSection({ model }: { model: ProfileModel }) {
  const [question, setQuestion] = useState<Question>();
  const { outcome, factor, enrolment, recoveryCodes, busy } = model;
  const isOn = factor.value?.enrolled_us !== undefined;
  const actions: Record<Question, { label: string; send(password: string): Promise<boolean> }> = {
    begin: { label: "Set up a second factor", send: (password) => model.beginFactor(password) },
    renew: { label: "New recovery codes", send: (password) => model.renewRecoveryCodes(password) },
    remove: { label: "Turn it off", send: (password) => model.removeFactor(password) },
  };
  const offered: Question[] = isOn ? ["renew", "remove"] : ["begin"];

  async function answer(asked: Question, password: string): Promise<void> {
    if (await actions[asked].send(password)) setQuestion(undefined);
  }

  return (
    <Section
      id="profile-factor"
      title="Second factor"
      about="A code of an app on your phone, asked for after the password: somebody who learns your password cannot log in with it."
      outcome={outcome.value?.section === "factor" ? outcome.value : undefined}
    >
      {recoveryCodes.value && (
        <CopyLine
          label="Ten recovery codes, which are shown only this once. Each opens one session if the phone is lost"
          text={recoveryCodes.value.join("\n")}
          onDone={() => (recoveryCodes.value = undefined)}
        />
      )}
      {factor.value && !enrolment.value && <State model={model} />}
      {enrolment.value && <Enrolment model={model} />}
      {question && !enrolment.value && (
        <PasswordQuestion
          action={actions[question].label}
          busy={busy.value}
          onAnswer={(password) => void answer(question, password)}
          onCancel={() => setQuestion(undefined)}
        />
      )}
      {factor.value && !question && !enrolment.value && (
        <p class="card-buttons">
          {offered.map((one) => (
            <button type="button" class="button outlined" key={one} onClick={() => setQuestion(one)}>
              {actions[one].label}
            </button>
          ))}
        </p>
      )}
    </Section>
  );
}

function State({ model }: { model: ProfileModel }) {
  const { enrolled_us, recovery_left } = model.factor.value!;
  if (enrolled_us === undefined) return <p class="muted">It is off.</p>;
  return (
    <p>
      <span class="mark">on</span>{" "}
      <span class="muted">
        since {formatDate(enrolled_us, zone.value)}, {recovery_left} recovery {recovery_left === 1 ? "code" : "codes"}{" "}
        left
      </span>
    </p>
  );
}

/** The secret as a picture and as text, and the field for its first code. */
function Enrolment({ model }: { model: ProfileModel }) {
  const { secret, picture } = model.enrolment.value!;
  const grouped = secret.replace(/(.{4})(?=.)/g, "$1 ");
  return (
    <form
      class="card-form factor-form"
      aria-label="Set up a second factor"
      onSubmit={(event) => {
        event.preventDefault();
        void model.enrolFactor(String(new FormData(event.currentTarget).get("code")));
      }}
    >
      <svg
        class="qr-code"
        viewBox={`0 0 ${picture.size} ${picture.size}`}
        shape-rendering="crispEdges"
        role="img"
        aria-label="QR code of the secret"
      >
        <rect width={picture.size} height={picture.size} fill="#fff" />
        <path d={picture.path} fill="#000" />
      </svg>
      <div class="factor-steps">
        <p>
          Scan the picture with an app for one-time codes, or type this secret into it: time-based, six digits, 30
          seconds.
        </p>
        <code class="copy-text">{grouped}</code>
        <CodeField label="The code that the app shows now" />
        <p class="card-buttons">
          <button class="button primary" disabled={model.busy.value}>
            Turn it on
          </button>
          <button type="button" class="button outlined" onClick={() => model.cancelEnrolment()}>
            Cancel
          </button>
        </p>
      </div>
    </form>
  );
}
