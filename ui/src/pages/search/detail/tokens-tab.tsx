// The words under which the index finds this message.
import type { FullRow } from "../../../api/message.ts";
import { VisibleText } from "../../../components/visible-text.tsx";
import { formatCount } from "../../../time/format.ts";

export function TokensTab({ message, onWord }: { message: FullRow; onWord: (word: string) => void }) {
  return (
    <>
      <p class="muted tab-tools">
        {formatCount(message.tokens.length)} words in the index. A click adds one to the query.
      </p>
      <ul class="token-list">
        {message.tokens.map((token) => (
          <li>
            <button type="button" class="chip mono" onClick={() => onWord(token)}>
              <VisibleText text={token} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
