// Characters that a reader cannot see, or that change the order of those around them.
//
// In: a text from a message. Out: its pieces, where each such character is a piece of its own with a short name. Holds: nothing.
// Characters that join letters of a script or parts of an emoji are left alone where they do that: there they are seen.
import { longNameOf, shortNameOf } from "./names.ts";

/** A part of a text: plain, or one hidden character with its names. */
export interface Piece {
  text: string;
  /** The short name of a hidden character: "RLO". */
  name?: string;
  /** The code and the full name: "U+202E right-to-left override". */
  title?: string;
}

/** Whether breaks of lines and tabs are hidden characters, or shown as what they are. */
export type Breaks = "named" | "kept";

/** Control characters, those without a picture, those that set the direction, separators of lines, interlinear marks. */
export const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\ufff9-\ufffb]/gu;
const EMOJI_BEFORE = /(?:\p{Emoji}|\p{Emoji_Modifier}|\ufe0f)$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
const SCRIPTS =
  "Arabic Bengali Devanagari Gujarati Gurmukhi Kannada Khmer Malayalam Mongolian Myanmar Oriya Sinhala Syriac Tamil Telugu"
    .split(" ")
    .map((script) => `\\p{Script=${script}}`)
    .join("");
const JOINED_BEFORE = new RegExp(`[${SCRIPTS}]$`, "u");
const JOINED_AFTER = new RegExp(`^[${SCRIPTS}]`, "u");

/** Splits a text into pieces; a text without hidden characters is one piece. */
export function piecesOf(text: string, breaks: Breaks = "named"): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { index } of hiddenIn(text, breaks)) {
    const character = String.fromCodePoint(text.codePointAt(index)!);
    if (index > at) pieces.push({ text: text.slice(at, index) });
    pieces.push({ text: character, name: shortNameOf(character), title: longNameOf(character) });
    at = index + character.length;
  }
  if (at < text.length || pieces.length === 0) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** Returns the number of hidden characters, not counting breaks of lines and tabs. */
export function countHidden(text: string): number {
  return hiddenIn(text, "kept").length;
}

/** Returns a text for places that show no markup, such as titles: "gnp⟨RLO⟩exe". */
export function plainText(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.name === undefined ? piece.text : `\u27e8${piece.name}\u27e9`))
    .join("");
}

/** Returns JSON in which hidden characters are escaped, so that it is the same JSON and readable. */
export function escapeJson(json: string): string {
  return piecesOf(json, "kept")
    .map((piece) => (piece.name === undefined ? piece.text : escaped(piece.text)))
    .join("");
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}

function hiddenIn(text: string, breaks: Breaks): { index: number }[] {
  return [...text.matchAll(HIDDEN)].filter(({ 0: character, index }) => {
    if (breaks === "kept" && (character === "\n" || character === "\t")) return false;
    return !isVisibleHere(character, text.slice(Math.max(0, index - 2), index), text.slice(index + character.length));
  });
}

/** Returns true where a character does what it is made for: it joins an emoji, or shapes letters of a script. */
function isVisibleHere(character: string, before: string, after: string): boolean {
  if (character === "\ufe0e" || character === "\ufe0f") return EMOJI_BEFORE.test(before);
  if (character === "\u200d" && EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)) return true;
  if (character === "\u200c" || character === "\u200d") return JOINED_BEFORE.test(before) && JOINED_AFTER.test(after);
  return false;
}
