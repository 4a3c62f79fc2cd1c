import type { ApprovalQuestion, ApprovalReason, ToolInfo } from "@toolmount/core";
import { listTool } from "@toolmount/core/internal";
import { placeText } from "@toolmount/core/record";
import { originLine } from "./origin.ts";
import { listedCalls } from "./rehearsal.ts";
import { jsonText, printable, printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { wrapped } from "../screen/wrap.ts";

/** The call of a question, which is asked now or was stored. */
export interface AskedCall {
  readonly tool: string;
  /** Undefined when the plan no longer offers the tool. */
  readonly facts: ToolInfo | undefined;
  readonly arguments: ApprovalQuestion["arguments"];
  readonly reasons: readonly ApprovalReason[];
  readonly prompt: string;
  readonly info: ApprovalQuestion["info"];
  readonly place?: ApprovalQuestion["place"];
}

/** Tests whether approving a call of the tool needs more than one key press, because its effect may be impossible to undo. */
export function isGrave({
  category,
  consequenceLevel,
}: Pick<ToolInfo, "category" | "consequenceLevel">): boolean {
  return category === "delete" || consequenceLevel === "high";
}

/**
 * Returns a question for a person: a sentence, the risk, each argument with its origin, the reasons, and what happens after
 * an approval. No argument is cut, so the person sees exactly what an approval allows.
 */
export function questionLines(call: AskedCall, screen: Screen, waiting = 0): string[] {
  const { tool, info, reasons, place } = call;
  const more =
    waiting === 0
      ? ""
      : screen.paint("dim", `  (${waiting} more ${waiting === 1 ? "waits" : "wait"} behind it)`);
  const about = [riskOf(call, screen), screen.paint("dim", `tool ${printable(tool)}`), ...whoseOf(info)];
  return [
    "",
    `${screen.paint("bold", printable(sentenceOf(call)))}${more}`,
    about.join(screen.paint("dim", " · ")),
    "",
    ...(tool === listTool
      ? listedCalls(call.arguments, screen).map((line) => `  ${line}`)
      : argumentLines(call, screen)),
    "",
    ...reasons.map(({ reason }) => `${screen.paint("dim", "because")} ${printable(reason)}`),
    ...(place === undefined ? [] : [`${screen.paint("dim", "in")} ${printable(placeText(place))}`]),
    `${screen.paint("dim", "if you approve:")} ${endOf(call)}`,
    "",
  ];
}

/**
 * Returns the details of a question, shown when the person presses a key: the digest, where the rules are written, and
 * the arguments as the tool gets them.
 */
export function questionDetails(
  { reasons, arguments: given, facts }: AskedCall,
  digest: string,
  screen: Screen,
): string[] {
  const fact = (name: string, value: string) =>
    `  ${screen.paint("dim", name.padEnd(9))} ${printable(value)}`;
  return [
    "",
    fact("digest", `sha256 ${digest}`),
    ...reasons.map(({ rule, source, reason }) => fact("rule", `${rule ?? source}: ${reason}`)),
    ...(facts === undefined ? [] : [fact("module", facts.owner)]),
    fact("arguments", `${Buffer.byteLength(JSON.stringify(given))} bytes of JSON`),
    ...jsonText(given)
      .split("\n")
      .map((line) => `    ${line}`),
    "",
  ];
}

/**
 * Returns the prompt, if it was written for this question and does not only repeat a reason. Otherwise makes a sentence of the
 * tool's name and its most important argument.
 */
function sentenceOf({ prompt, reasons, tool, facts, arguments: given, info }: AskedCall): string {
  const isOwn = !reasons.some(({ reason }) => prompt.includes(reason));
  if (isOwn && prompt !== "") return prompt;
  if (tool === listTool) return "Make all calls of this list, in this order";
  const sentence = callSentence(tool, given, facts);
  return info.undoOf === undefined ? sentence : `Undo: ${sentence}`;
}

function riskOf({ facts }: AskedCall, screen: Screen): string {
  const { category = "unclassified", consequenceLevel = "unknown" } = facts ?? {};
  const text = printable(`${category} · ${consequenceLevel} consequence`);
  if (facts === undefined || isGrave(facts)) return screen.paint(["bold", "red"], text);
  return screen.paint(consequenceLevel === "low" ? "green" : "yellow", text);
}

function whoseOf({ userId, sessionId }: AskedCall["info"]): string[] {
  return [
    ...(userId === undefined ? [] : [`for ${printable(userId)}`]),
    ...(sessionId === undefined ? [] : [`session ${printable(sessionId)}`]),
  ];
}

function endOf({ tool, facts, info }: AskedCall): string {
  if (tool === listTool)
    return "these calls run once, in this order; a call that fails ends the list, and any other change asks.";
  if (info.undoOf !== undefined) return `an earlier call of ${printable(tool)} is undone.`;
  const runs = `${printable(tool)} runs once, with exactly these arguments.`;
  if (facts?.irreversible === true) return `${runs} It cannot be undone.`;
  if (facts?.undoable === true) return `${runs} toolmount undo can undo it.`;
  return `${runs} The tool has no undo.`;
}

/** Returns a line for each argument. Arguments that control where an effect goes come first. */
function argumentLines({ arguments: given, facts, reasons }: AskedCall, screen: Screen): string[] {
  const control = facts?.control ?? [];
  const isControl = (name: string) => control.some((one) => one.split(".")[0] === name);
  const names = Object.keys(given).toSorted((a, b) => Number(isControl(b)) - Number(isControl(a)));
  if (names.length === 0) return [screen.paint("dim", "  no arguments")];
  const width = Math.min(24, Math.max(...names.map((name) => printable(name).length)));
  const room = screen.columns === undefined ? undefined : screen.columns - width - 4;
  const origins = reasons.flatMap((reason) => reason.origins ?? []);
  return names.flatMap((name) => {
    const own = origins.filter(({ argument }) => argument === name || argument.startsWith(`${name}.`));
    const lines = [...valueText(given[name]), ...own.map((origin) => originLine(origin, screen))];
    // Further lines of a value are indented, because an unindented line would look like another argument.
    const [first = "", ...rest] = lines.flatMap((line) => wrapped({ columns: room }, line).split("\n"));
    const label = printable(name).padEnd(width);
    const shown = isControl(name) ? screen.paint("bold", label) : label;
    return [`  ${shown}  ${first}`, ...rest.map((line) => `${" ".repeat(width + 4)}${line}`)];
  });
}

/** Texts that are shown in quotes, because without them a reader could take them for a number, for JSON or for no text. */
const doubtful = /^$|^\s|\s$|["'\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^(?:true|false|null|[-\d.[{|].*)$/u;

/**
 * Returns the lines of a complete value: a plain text without quotes, a text of several lines behind bars, everything else as
 * JSON.
 */
function valueText(value: unknown): string[] {
  if (typeof value !== "string") return jsonText(value).split("\n");
  if (/\n/.test(value))
    return printableLines(value)
      .split("\n")
      .map((line) => `| ${line}`);
  return [doubtful.test(value) ? jsonText(value) : value];
}

/** Maximum number of characters of a value in the sentence. The arguments below it are shown completely. */
const maxValue = 60;

/** Returns a call as a sentence without a full stop, from the tool's name and the most important argument: `Delete order o-3`. */
function callSentence(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  facts: Pick<ToolInfo, "control" | "inputSchema"> | undefined,
): string {
  const words = tool.replaceAll(/[_.-]+/g, " ").trim();
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  const required = (facts?.inputSchema["required"] ?? []) as readonly string[];
  const order = [...(facts?.control ?? []), ...required, ...Object.keys(given)];
  const value = order.map((key) => shortText(given[key])).find((text) => text !== undefined);
  return value === undefined ? name : `${name} ${value}`;
}

/** Returns a number, or the first line of a text, cut after 60 characters; undefined for other values. */
function shortText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const [line = ""] = value.trim().split("\n");
  return line.length > maxValue || line !== value.trim() ? `${line.slice(0, maxValue)}…` : line;
}
