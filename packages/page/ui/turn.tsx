import { StatusChip } from "./calls/status.tsx";
import { countHidden } from "./hidden.ts";
import { Markdown } from "./parts/markdown.tsx";
import { linkTo } from "./route.ts";
import type { Item } from "./shapes.ts";
import { calls } from "./state.ts";
import { countText, durationText, HiddenNote, Value } from "./value.tsx";

/** The items of one turn: a message of the user, and all items up to the next one. */
type TurnItems = readonly Item[];

/** Splits a conversation into turns. Items before the first message of the user are a turn, too. */
export function turnsOf(items: readonly Item[]): readonly TurnItems[] {
  const turns: Item[][] = [];
  for (const item of items) {
    if (turns.length === 0 || item.role === "user") turns.push([]);
    turns.at(-1)!.push(item);
  }
  return turns;
}

interface TurnProps {
  readonly turn: TurnItems;
  readonly number: number;
  readonly sessionId: string;
  readonly isLast: boolean;
}

/** Shows one turn: its prompt, its calls with their outputs, and the texts of the model. */
export function Turn({ turn, number, sessionId, isLast }: TurnProps) {
  const made = turn.filter(isCall);
  const outputs = new Map(turn.filter(isOutput).map((item) => [String(item["call_id"]), item["output"]]));
  const [first] = turn;
  return (
    <details class="turn" open={isLast}>
      <summary>
        Turn {number}: {first?.role === "user" ? textOfContent(first["content"]).slice(0, 120) : "—"}{" "}
        <small>{countText(made.length, "call")}</small>
      </summary>
      {turn.map((item) => {
        if (isCall(item))
          return <Call item={item} output={outputs.get(String(item["call_id"]))} sessionId={sessionId} />;
        return isOutput(item) ? null : <Said item={item} />;
      })}
    </details>
  );
}

function Said({ item }: { readonly item: Item }) {
  const text = textOfContent(item["content"] ?? item["summary"] ?? "");
  if (text === "") return null;
  return (
    <div class="said">
      <h3>{item.role ?? item.type.replaceAll("_", " ")}</h3>
      <HiddenNote hidden={countHidden(text)} />
      <Markdown text={text} />
    </div>
  );
}

interface CallProps {
  readonly item: Item;
  readonly output: unknown;
  readonly sessionId: string;
}

/** Shows a call that the model made. Status and duration are shown only if the call is in the page's list of calls. */
function Call({ item, output, sessionId }: CallProps) {
  const callId = String(item["call_id"]);
  const name = String(item["name"]);
  const known = calls.value.find((call) => call.callId === callId && call.sessionId === sessionId);
  return (
    <section class="box">
      <h3>
        <span>
          {known === undefined ? name : <a href={linkTo("calls", known.runId)}>{name}</a>}{" "}
          {known?.durationMs != null && <small>{durationText(known.durationMs)}</small>}
        </span>
        {known !== undefined && <StatusChip status={known.status} code={known.code} />}
      </h3>
      <Value value={item["arguments"] ?? item["input"] ?? ""} label={`Arguments of ${name}`} />
      {output === undefined ? (
        <p class="in">No output yet.</p>
      ) : (
        <Value value={textOfContent(output)} label={`Output of ${name}`} />
      )}
    </section>
  );
}

function isCall({ type }: Item): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

function isOutput({ type }: Item): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

/** Returns the text of a message's content: a string as it is, a list by its parts, and anything else as JSON. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content, null, 2);
  const parts = content as readonly Readonly<Record<string, unknown>>[];
  return parts
    .map((part) => (typeof part["text"] === "string" ? part["text"] : `(${String(part["type"])})`))
    .join("\n");
}
