// The field for a code of the second factor.
import { useEffect, useRef } from "preact/hooks";

export function CodeField({ label }: { label: string }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <label>
      {label}
      <input
        name="code"
        class="code-field"
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck={false}
        maxLength={40}
        required
        ref={input}
      />
    </label>
  );
}
