// A text from a message in which characters that cannot be seen, or that change the order of others, are shown by name.
// A copy of the text has the characters themselves.
import { piecesOf, type Breaks } from "../text/hidden.ts";

export function VisibleText({ text, breaks = "named" }: { text: string; breaks?: Breaks }) {
  const pieces = piecesOf(text, breaks);
  if (pieces.length === 1 && pieces[0]!.name === undefined) return <>{text}</>;
  return (
    <>
      {pieces.map((piece) =>
        piece.name === undefined ? (
          piece.text
        ) : (
          <span class="hidden-character" data-name={piece.name} title={piece.title}>
            <span>{piece.text}</span>
          </span>
        ),
      )}
    </>
  );
}
