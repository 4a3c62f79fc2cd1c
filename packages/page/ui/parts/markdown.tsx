import type { ComponentChild } from "preact";

/**
 * Shows a model's text with its headings, lists, code and emphasis. HTML in the text stays text, and no picture or script is
 * loaded.
 */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown">{blocksOf(text).map((block, at) => drawBlock(block, at))}</div>;
}

interface Block {
  readonly kind: "text" | "code" | "list" | "numbers" | "heading";
  readonly lines: readonly string[];
}

const bullet = /^\s*[-*+]\s+/;
const numbered = /^\s*\d{1,9}[.)]\s+/;
const heading = /^#{1,6}\s+/;
const fence = /^\s*(?:```|~~~)/;

function kindOf(line: string): Block["kind"] {
  if (heading.test(line)) return "heading";
  if (bullet.test(line)) return "list";
  return numbered.test(line) ? "numbers" : "text";
}

function blocksOf(text: string): readonly Block[] {
  const blocks: { kind: Block["kind"]; lines: string[] }[] = [];
  let isOpen = false;
  let isCode = false;
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const isFence = fence.test(line);
    const kind = isCode || isFence ? "code" : kindOf(line);
    const last = blocks.at(-1);
    if (isFence) {
      isCode = !isCode;
      isOpen = isCode;
      if (isCode) blocks.push({ kind, lines: [] });
    } else if (isCode) last!.lines.push(line);
    else if (line.trim() === "") isOpen = false;
    else if (isOpen && last?.kind === kind && kind !== "heading") last.lines.push(line);
    else {
      blocks.push({ kind, lines: [line] });
      isOpen = true;
    }
  }
  return blocks;
}

function drawBlock({ kind, lines }: Block, key: number) {
  switch (kind) {
    case "code":
      return (
        <pre key={key} tabIndex={0} role="group" aria-label="Code">
          {lines.join("\n")}
        </pre>
      );
    case "heading":
      return <h4 key={key}>{inline(lines[0]!.replace(heading, ""))}</h4>;
    case "list":
      return (
        <ul key={key}>
          {lines.map((line) => (
            <li>{inline(line.replace(bullet, ""))}</li>
          ))}
        </ul>
      );
    case "numbers":
      return (
        <ol key={key}>
          {lines.map((line) => (
            <li>{inline(line.replace(numbered, ""))}</li>
          ))}
        </ol>
      );
    case "text":
    default:
      return (
        <p key={key}>{lines.flatMap((line, at) => (at === 0 ? inline(line) : [<br />, ...inline(line)]))}</p>
      );
  }
}

const marks = /`(?<code>[^`]+)`|\*\*(?<strong>[^*]+)\*\*|(?<![\w*])\*(?<em>[^*\s][^*]*)\*(?![\w*])/g;

/** Formats code and emphasis. Links are shown as they are written, so that a person sees where they lead. */
function inline(text: string): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let at = 0;
  for (const match of text.matchAll(marks)) {
    const { code, strong, em } = match.groups ?? {};
    parts.push(text.slice(at, match.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else parts.push(<em>{em}</em>);
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)].filter((part) => part !== "");
}
