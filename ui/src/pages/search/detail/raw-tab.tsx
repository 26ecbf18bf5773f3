// The bytes as received: as text, or in hexadecimal.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FullRow } from "../../../api/message.ts";
import { formatCount } from "../../../time/format.ts";
import { VisibleText } from "../../../components/visible-text.tsx";
import { hexLines } from "./hex.ts";

const HEX_BYTES_MAX = 16_384;
/** From this width on, sixteen bytes fit on a line. */
const WIDE_PX_MIN = 510;

export function RawTab({ message, onCopy }: { message: FullRow; onCopy: (text: string, what: string) => void }) {
  const [hex, setHex] = useState(false);
  const [wide, setWide] = useState(true);
  const panel = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const resize = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= WIDE_PX_MIN));
    resize.observe(panel.current!);
    return () => resize.disconnect();
  }, []);
  const bytes = Uint8Array.from(atob(message.raw_base64), (character) => character.charCodeAt(0));
  const text = new TextDecoder().decode(bytes);
  const lines = hex ? hexLines(bytes.subarray(0, HEX_BYTES_MAX), wide ? 8 : 4) : [];
  return (
    <>
      <div class="tab-tools">
        <span class="muted">{formatCount(bytes.length)} bytes as received</span>
        <span class="spacer" />
        <button type="button" class="chip" aria-pressed={hex} onClick={() => setHex(!hex)}>
          Hex
        </button>
        <button type="button" class="chip" onClick={() => onCopy(hex ? lines.join("\n") : text, "Raw message")}>
          Copy
        </button>
      </div>
      <pre ref={panel} class={`raw mono ${hex ? "hex" : ""}`}>
        {hex ? lines.join("\n") : <VisibleText text={text} breaks="kept" />}
      </pre>
      {hex && bytes.length > HEX_BYTES_MAX && <p class="muted">The first {formatCount(HEX_BYTES_MAX)} bytes.</p>}
    </>
  );
}
