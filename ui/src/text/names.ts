// Table: the names of characters that cannot be seen, as Unicode and ISO 6429 have them.

const C0 =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS \u2192 \u21b5 VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US";
const C1 =
  "PAD HOP BPH NBH IND NEL SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3 DCS PU1 PU2 STS CCH MW SPA EPA SOS SGC SCI CSI ST OSC PM APC";

const NAMES: Record<number, [string, string]> = {
  0x09: ["\u2192", "tab"],
  0x0a: ["\u21b5", "line feed"],
  0x0d: ["CR", "carriage return"],
  0x1b: ["ESC", "escape"],
  0x7f: ["DEL", "delete"],
  0xad: ["SHY", "soft hyphen"],
  0x34f: ["CGJ", "combining grapheme joiner"],
  0x61c: ["ALM", "arabic letter mark"],
  0x180e: ["MVS", "mongolian vowel separator"],
  0x200b: ["ZWSP", "zero width space"],
  0x200c: ["ZWNJ", "zero width non-joiner"],
  0x200d: ["ZWJ", "zero width joiner"],
  0x200e: ["LRM", "left-to-right mark"],
  0x200f: ["RLM", "right-to-left mark"],
  0x2028: ["LS", "line separator"],
  0x2029: ["PS", "paragraph separator"],
  0x202a: ["LRE", "left-to-right embedding"],
  0x202b: ["RLE", "right-to-left embedding"],
  0x202c: ["PDF", "pop directional formatting"],
  0x202d: ["LRO", "left-to-right override"],
  0x202e: ["RLO", "right-to-left override"],
  0x2060: ["WJ", "word joiner"],
  0x2066: ["LRI", "left-to-right isolate"],
  0x2067: ["RLI", "right-to-left isolate"],
  0x2068: ["FSI", "first strong isolate"],
  0x2069: ["PDI", "pop directional isolate"],
  0xfeff: ["BOM", "zero width no-break space"],
};

/** Returns the short name of a character: "RLO"; without one, its code: "U+E0041". */
export function shortNameOf(character: string): string {
  const code = character.codePointAt(0)!;
  if (NAMES[code]) return NAMES[code][0];
  if (code < 0x20) return C0.split(" ")[code]!;
  if (code >= 0x80 && code < 0xa0) return C1.split(" ")[code - 0x80]!;
  return codeOf(code);
}

/** Returns the code and the name of a character: "U+202E right-to-left override". */
export function longNameOf(character: string): string {
  const code = character.codePointAt(0)!;
  const name = NAMES[code]?.[1] ?? (code < 0xa0 ? "control character" : "invisible character");
  return `${codeOf(code)} ${name}`;
}

function codeOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
