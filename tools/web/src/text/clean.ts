/** Text without characters that people cannot see, and a warning when some were removed. */
interface CleanText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** The flags of England, Scotland and Wales: the only use of tag characters that readers can see. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;

/** Tag characters, and controls that reorder text: they show a person another text than the model reads. */
const hidden = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/gu;

/** Removes control characters except tab and line feed, halves of characters, and hidden text. */
export function cleanText(raw: string): CleanText {
  const text = raw
    .replaceAll("\r\n", "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .toWellFormed();
  if (!hidden.test(text)) return { text, warnings: [] };
  hidden.lastIndex = 0;
  const parts: string[] = [];
  let at = 0;
  for (const flag of text.matchAll(flags)) {
    parts.push(text.slice(at, flag.index).replaceAll(hidden, ""), flag[0]);
    at = flag.index + flag[0].length;
  }
  const visible = [...parts, text.slice(at).replaceAll(hidden, "")].join("");
  const removed = text.length - visible.length;
  if (removed === 0) return { text, warnings: [] };
  return { text: visible, warnings: ["hidden characters (tags, direction controls) were removed"] };
}
