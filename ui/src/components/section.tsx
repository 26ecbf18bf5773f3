// A part of a page about an account: a title, a sentence, its content, and what became of the last change.
import type { ComponentChildren } from "preact";

interface Props {
  id: string;
  title: string;
  about: ComponentChildren;
  outcome?: { text: string; failed: boolean } | undefined;
  children?: ComponentChildren;
}

export function Section({ id, title, about, outcome, children }: Props) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="card-about muted">{about}</p>
      {children}
      <p class={`card-outcome ${outcome?.failed ? "failed" : ""}`} role={outcome?.failed ? "alert" : "status"}>
        {outcome?.text}
      </p>
    </section>
  );
}
