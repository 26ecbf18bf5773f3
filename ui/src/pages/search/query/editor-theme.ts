// How the query editor looks: the page's custom properties reach into its shadow root.
import { EditorView } from "@codemirror/view";

export const EDITOR_THEME = EditorView.theme({
  "&": { fontSize: "13.5px", background: "transparent", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "22px", maxHeight: "112px", overflow: "auto" },
  ".cm-content": { padding: "6px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0" },
  ".cm-placeholder": { color: "var(--muted)", fontFamily: "var(--sans)", fontSize: "13px", whiteSpace: "pre", overflow: "hidden", display: "inline-block", maxWidth: "100%", height: "22px" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".tok-field": { color: "var(--syntax-field)" },
  ".tok-operator, .tok-sign, .tok-pipe": { color: "var(--syntax-operator)", fontWeight: "600" },
  ".tok-phrase": { color: "var(--syntax-phrase)" },
  ".tok-regex, .tok-range": { color: "var(--syntax-regex)" },
  ".tok-paren": { color: "var(--muted)" },
  ".cm-problem": { textDecoration: "underline wavy var(--err) 1.5px", textUnderlineOffset: "4px", background: "color-mix(in srgb, var(--err) 14%, transparent)" },
  ".cm-tooltip": { border: "1px solid var(--line-strong)", borderRadius: "6px", background: "var(--raised)", color: "var(--text)", boxShadow: "var(--shadow)", marginTop: "6px", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12.5px", maxHeight: "320px", minWidth: "260px", padding: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { display: "flex", alignItems: "baseline", justifyContent: "space-between", gap: "24px", padding: "2px 8px", borderRadius: "4px", lineHeight: "20px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--chosen)", color: "var(--text)" },
  ".cm-completionLabel": { overflow: "hidden", textOverflow: "ellipsis", maxWidth: "46ch" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)", fontWeight: "600" },
  ".cm-completionDetail": { fontStyle: "normal", fontFamily: "var(--sans)", fontSize: "12px", color: "var(--muted)", marginLeft: "0" },
});
