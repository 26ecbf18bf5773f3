// The change that waits for the password of the administrator, where it was asked for, and what became of the last one.
import { PasswordQuestion } from "../../components/password-question.tsx";
import type { UsersModel } from "./users-model.ts";

export function QuestionForm({ model, of }: { model: UsersModel; of: string }) {
  const question = model.question.value;
  const outcome = model.outcome.value;
  return (
    <>
      {question?.of === of && (
        <>
          <p class="question-effect">{question.effect}</p>
          <PasswordQuestion
            key={question.action}
            action={question.action}
            busy={model.busy.value}
            onAnswer={(password) => void model.answer(password)}
            onCancel={() => (model.question.value = undefined)}
          />
        </>
      )}
      <Said outcome={outcome?.of === of ? outcome : undefined} />
    </>
  );
}

function Said({ outcome }: { outcome: { text: string; failed: boolean } | undefined }) {
  return (
    <p class={`card-outcome ${outcome?.failed ? "failed" : ""}`} role={outcome?.failed ? "alert" : "status"}>
      {outcome?.text}
    </p>
  );
}
