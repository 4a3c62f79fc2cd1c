import type { ComponentChild } from "preact";
import { countHidden } from "../hidden.ts";
import { countText, HiddenNote } from "../value.tsx";
import { Copy } from "./copy.tsx";

interface LinesProps {
  readonly name: string;
  readonly text: string;
  readonly isScript: boolean;
}

/**
 * Shows a text of several lines, or a command, with line numbers and a copy button. Only many empty lines in a row are
 * shortened.
 */
export function Lines({ name, text, isScript }: LinesProps) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  return (
    <section class="box" aria-label={name}>
      <div class="head">
        <span>
          {name} · {countText(lines.length, "line")}
        </span>
        <Copy text={text} what={name} />
      </div>
      <HiddenNote hidden={countHidden(text)} />
      <pre class="value lines" tabIndex={0} role="group" aria-label={`Text of ${name}`}>
        {withoutRoom(lines).map((line) =>
          typeof line === "number" ? (
            <mark class="hidden">{`[${line} empty lines]`}</mark>
          ) : (
            <span>{isScript ? colour(line) : line}</span>
          ),
        )}
      </pre>
    </section>
  );
}

/** Maximum number of empty lines in a row that are shown. More of them could push text out of sight. */
const maxEmpty = 20;

/** Replaces too many empty lines in a row with their number. */
function withoutRoom(lines: readonly string[]): readonly (string | number)[] {
  const shown: (string | number)[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && lines[end]!.trim() === "") end++;
    const empty = end - at;
    if (empty > maxEmpty) shown.push(empty);
    else shown.push(...lines.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return shown;
}

/** Matches comments, quoted texts, and names of commands in a line of a script, for colours. */
const tokens =
  /(?<comment>(?<=^|\s)#.*$)|(?<text>'[^']*'|"(?:\\.|[^"\\])*")|(?<word>(?<=^\s*|[|;&({]\s*)[\w./-]+)/gu;

function colour(line: string): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let at = 0;
  for (const match of line.matchAll(tokens)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ["text"];
    parts.push(line.slice(at, match.index), <span class={kind}>{match[0]}</span>);
    at = match.index + match[0].length;
  }
  return [...parts, line.slice(at)];
}
