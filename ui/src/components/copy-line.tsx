// A secret that is shown once, with a button that copies it.
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { copyText } from "./copy-text.ts";

interface Props {
  label: string;
  text: string;
  onDone(): void;
}

export function CopyLine({ label, text, onDone }: Props) {
  const [copied, setCopied] = useState<boolean>();
  return (
    <div class="copy-line" role="group" aria-label={label}>
      <p>
        <b>{label}:</b>
      </p>
      <code class="copy-text">{text}</code>
      <p class="card-buttons">
        <button type="button" class="button primary" onClick={() => void copyText(text).then(setCopied)}>
          <Icon name="copy" /> Copy
        </button>
        <button type="button" class="button outlined" onClick={onDone}>
          Done, hide it
        </button>
        <span class="muted" role="status">
          {copied === true && "Copied."}
          {copied === false && "The browser does not allow to copy: select the text."}
        </span>
      </p>
    </div>
  );
}
