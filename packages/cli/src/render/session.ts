import type { SessionDetails, SessionSummary } from "@toolmount/reasoner";
import { countOf } from "../screen/count.ts";
import { createMarkdownWriter } from "../screen/markdown.ts";
import { printable, printableLines } from "../screen/printable.ts";
import { agoOf } from "../screen/relative-time.ts";
import type { Screen } from "../screen/screen.ts";
import { shortIds } from "../screen/short-ids.ts";
import { writeTable, type Column } from "../screen/table.ts";

type Item = SessionDetails["items"][number];

export function writeList(screen: Screen, sessions: readonly SessionSummary[], now: number): void {
  if (sessions.length === 0) return screen.line("no sessions yet");
  const short = shortIds(sessions.map(({ id }) => id));
  const columns: Column<SessionSummary>[] = [
    { title: "session", cell: ({ id }) => screen.paint("bold", printable(short(id))) },
    { title: "state", cell: ({ status, waits }) => (waits > 0 ? `waits (${waits})` : status) },
    { title: "changed", cell: ({ updatedAt }) => agoOf(Number(new Date(updatedAt)), now) },
    { title: "turns", cell: ({ turns }) => String(turns) },
    { title: "agent", cell: ({ agent }) => printable(agent ?? "–") },
    { title: "title", cell: ({ title }) => printable(title) },
  ];
  writeTable(screen, columns, sessions);
}

/** By call id, a text that says how the call ended. */
type Says = ReadonlyMap<string, string>;

/** Writes a session: how much of it the model sees now, its messages, its calls and how they ended, and what waits. */
export function writeDetails(
  screen: Screen,
  details: SessionDetails,
  now: number,
  says: Says = new Map(),
): void {
  writeList(screen, [details], now);
  // The table shortens an id that a program made, so the whole id follows.
  if (shortIds([details.id])(details.id) !== details.id)
    screen.line(screen.paint("dim", `id ${printable(details.id)}`));
  if (details.parentId !== null) screen.line(screen.paint("dim", `parent ${printable(details.parentId)}`));
  const { tokens, cleared, summaries } = details.context;
  const shortened = [
    ...(cleared === 0 ? [] : [`${countOf(cleared, "result")} cleared`]),
    ...(summaries === 0 ? [] : [`summaries written: ${summaries}`]),
  ];
  const facts = [countOf(details.items.length, "item"), `about ${tokens} tokens`, ...shortened];
  screen.line(screen.paint("dim", `the model sees now: ${facts.join(" · ")}`));
  for (const item of details.items) screen.line(itemText(screen, item, says));
  for (const { tool, waitsFor, callId } of details.waiting)
    screen.line(screen.paint("yellow", `… ${printable(tool)} waits for: ${waitsFor} (${printable(callId)})`));
  for (const child of details.children) screen.line(screen.paint("dim", `child ${printable(child)}`));
}

/** Writes one item of a chat. At a terminal, the model's text looks as it did when it arrived. */
export function writeItem(screen: Screen, item: Item): void {
  if (screen.columns === undefined || item.type !== "message" || item.role !== "assistant")
    return screen.line(itemText(screen, item));
  const text = partsText(item.content);
  const markdown = createMarkdownWriter(screen);
  markdown.write(printableLines(typeof text === "string" ? text : JSON.stringify(text)));
  markdown.end();
}

/** Returns one item of a conversation as text: a message, a call, or a result. */
function itemText(screen: Screen, item: Item, says: Says = new Map()): string {
  const { type, role, content, name, arguments: given, output } = item;
  const text = (value: unknown) => printableLines(typeof value === "string" ? value : JSON.stringify(value));
  const { call_id: id } = item;
  const end = typeof id === "string" ? says.get(id) : undefined;
  if (type === "function_call")
    return `  ${screen.paint("dim", "→")} ${text(name)} ${screen.paint("dim", text(given))}${end === undefined ? "" : `  ${printable(end)}`}`;
  if (type === "function_call_output") return `  ${screen.paint("dim", "←")} ${text(output)}`;
  if (type === "message") return `${screen.paint("bold", text(role))}: ${text(partsText(content))}`;
  return screen.paint("dim", `(${text(type)})`);
}

function partsText(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => (part as { text?: string } | null)?.text ?? "").join("");
}

export function writeOutput(screen: Screen, { output }: Item): void {
  const text = typeof output === "string" ? output : String(partsText(output));
  screen.line(printableLines(text));
}
