// The text of a panel: headings, lists, bold and code; everything else is shown as it is written.
import type { ComponentChildren } from "preact";
import { VisibleText } from "../../components/visible-text.tsx";

export function MarkdownText({ text }: { text: string }) {
  const blocks = text.split(/\n\s*\n/).filter((block) => block.trim());
  return (
    <div class="panel-text">
      {blocks.map((block) => {
        const lines = block.split("\n").filter((line) => line.trim());
        const heading = /^#{1,3} (.*)$/.exec(lines[0]!);
        if (heading)
          return (
            <>
              <h3>{inline(heading[1]!)}</h3>
              {lines.length > 1 && <p>{lines.slice(1).map((line) => [inline(line), " "])}</p>}
            </>
          );
        if (lines.every((line) => /^[-*] /.test(line)))
          return (
            <ul>
              {lines.map((line) => (
                <li>{inline(line.slice(2))}</li>
              ))}
            </ul>
          );
        return <p>{lines.map((line) => [inline(line), " "])}</p>;
      })}
    </div>
  );
}

function inline(text: string): ComponentChildren {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (/^\*\*.+\*\*$/.test(part)) return <b>{part.slice(2, -2)}</b>;
    if (/^`.+`$/.test(part)) return <code>{part.slice(1, -1)}</code>;
    return <VisibleText text={part} />;
  });
}
