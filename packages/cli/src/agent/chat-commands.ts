import { changeSessionMode, summaryOf } from "@toolmount/core/sessions";
import { isToolmountError } from "@toolmount/core/errors";
import type { TurnResult } from "@toolmount/reasoner";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";
import { countOf } from "../screen/count.ts";
import { shortIds } from "../screen/short-ids.ts";
import { writeTable } from "../screen/table.ts";
import { wrapped } from "../screen/wrap.ts";
import type { Agent } from "./with-reasoner.ts";
import type { OpenedHost } from "@toolmount/loader";
import { confirmUndo, mayUndo } from "../host/confirm-undo.ts";
import { lineOf, writeUndo } from "../render/changes.ts";

/** The state of a chat that its commands read and change. */
export interface Chat {
  readonly agent: Agent;
  readonly sessionId: string;
  /** The turns that ran since the chat was opened. */
  readonly turns: readonly TurnResult[];
  /** Text that the model gets before the user's next prompt: what the user did to the model's changes since its last answer. */
  note: string | undefined;
  /** The blocks of text that the person pasted, which are marked for the model as pasted. */
  readonly pastes: Set<string>;
  /** The model that `/model` chose for the next turns; undefined if it chose none. */
  model: string | undefined;
}

interface ChatCommand {
  readonly name: string;
  readonly argument?: string;
  readonly says: string;
  run(argument: string, chat: Chat, shell: Shell): Promise<void> | void;
}

/** The commands of a chat. `/quit` is here only for the help, because the chat itself handles it. */
const commands: readonly ChatCommand[] = [
  { name: "/help", says: "show these commands", run: (_, _chat, shell) => writeHelp(shell) },
  { name: "/tools", says: "show the tools that the model is offered", run: writeTools },
  {
    name: "/mode",
    argument: "[mode]",
    says: "show the mode, or change it from the next turn on",
    run: useMode,
  },
  {
    name: "/model",
    argument: "[name]",
    says: "show the model, or ask another one from now on",
    run: useModel,
  },
  { name: "/cost", says: "show requests, tokens and cost of this chat", run: writeCost },
  { name: "/approvals", says: "show the questions that wait for an answer", run: writeApprovals },
  { name: "/undo", says: "undo what the last turn changed, as toolmount undo does", run: undoTurn },
  { name: "/quit", says: "end the chat", run: () => {} },
];

/** Tests whether a line is a command, which is never sent to a model. A prompt that begins with a slash is typed with `//`. */
export function isChatCommand(line: string): boolean {
  return /^\/[^/\s]*(?:\s|$)/.test(line) && !line.includes("\n");
}

/** Runs a command of a chat. A `ToolmountError` is shown, and the chat continues. Other errors are thrown. */
export async function runChatCommand(line: string, chat: Chat, shell: Shell): Promise<void> {
  const [, name = "", argument = ""] = /^(\S+)\s*(.*)$/.exec(line.trim()) ?? [];
  const command = commands.find((known) => known.name === name);
  if (command === undefined)
    return shell.err.line(
      `there is no command ${printable(name)}; /help shows the commands, and //… sends a line that begins with a slash`,
    );
  try {
    await command.run(argument, chat, shell);
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    shell.err.line(`${shell.err.paint("red", error.code)} ${printable(error.message)}`);
  }
}

function writeHelp({ err }: Shell): void {
  const rows = [
    ...commands,
    { name: "\\ at the end", says: "the prompt has another line; Alt-Enter does the same" },
    { name: "any key", says: "while a turn runs: opens a line, which the model reads with its next request" },
    { name: "Ctrl-C", says: "cancels a turn; at the prompt it empties the line, and twice it ends the chat" },
    { name: "Ctrl-D", says: "ends the chat" },
  ];
  for (const { name, argument = "", says } of rows as readonly Pick<
    ChatCommand,
    "name" | "argument" | "says"
  >[]) {
    const key = `  ${err.paint("cyan", `${name} ${argument}`.padEnd(15))}`;
    err.line(`${key} ${wrapped(err, says, 18).trimStart()}`);
  }
}

async function writeTools(
  _argument: string,
  { agent: { host }, sessionId }: Chat,
  { err }: Shell,
): Promise<void> {
  const { tools } = await host.session(sessionId).offer();
  writeTable(
    err,
    [
      { title: "tool", cell: ({ name }) => printable(name) },
      { title: "summary", cell: (tool) => printable(summaryOf(tool)) },
    ],
    tools,
  );
}

async function useMode(mode: string, { agent: { host }, sessionId }: Chat, { err }: Shell): Promise<void> {
  const session = host.session(sessionId);
  if (mode !== "") {
    await session.load();
    // This rejects for a mode that the plan does not have, before the session is changed.
    await host.offer({ mode });
    changeSessionMode(session.state, mode);
  }
  err.line(`mode ${printable(await session.mode())}`);
}

function useModel(model: string, chat: Chat, { err }: Shell): void {
  if (model !== "") chat.model = model;
  err.line(`model ${printable(chat.model ?? chat.agent.model ?? "of the plan")}`);
}

function writeCost(_argument: string, { turns }: Chat, { err }: Shell): void {
  const sum = (of: (turn: TurnResult) => number) => turns.reduce((total, turn) => total + of(turn), 0);
  const currency = turns.find(({ cost }) => cost !== null)?.cost?.currency;
  const cost =
    currency === undefined
      ? "no prices in the plan"
      : `${sum((turn) => turn.cost?.amount ?? 0).toFixed(4)} ${currency}`;
  const tokens = `${sum(({ usage }) => usage.inputTokens)} + ${sum(({ usage }) => usage.outputTokens)} tokens`;
  err.line(
    `${countOf(turns, "turn")} · ${countOf(
      sum(({ iterations }) => iterations),
      "request",
    )} · ${tokens} · ${cost}`,
  );
}

async function undoTurn(_argument: string, chat: Chat, shell: Shell): Promise<void> {
  const undone = await undoLastTurn(chat.agent.host, chat.sessionId, shell);
  if (undone.length > 0) chat.note = `(The user undid these calls of yours: ${undone.join("; ")}.)`;
}

/**
 * Undoes the last turn of a session that changed something that can be undone, even if an earlier process ran it. Asks the
 * person first, as `toolmount undo` does. Returns a line for each undone call, for the model.
 */
async function undoLastTurn(host: OpenedHost, sessionId: string, shell: Shell): Promise<readonly string[]> {
  const session = host.session(sessionId);
  const changes = await session.changes();
  const newest = changes.findLast((change) => mayUndo(change) && change.turnId !== undefined);
  if (newest === undefined) {
    shell.err.line("no turn of this session changed something that can be undone");
    return [];
  }
  const chosen = changes.filter(({ turnId }) => turnId === newest.turnId);
  return shell.interruptible(async (controller) => {
    if (!(await confirmUndo(chosen, shell, controller))) return [];
    const report = await session.undo({ turn: newest.turnId }, { abortSignal: controller.signal });
    writeUndo(shell.err, report);
    return report.undone.map(lineOf);
  });
}

async function writeApprovals(_argument: string, { agent: { host } }: Chat, { err }: Shell): Promise<void> {
  const waiting = await host.approvals.list();
  const short = shortIds(waiting.map(({ id }) => id));
  for (const { id, tool } of waiting) err.line(`  ${short(id)}  ${printable(tool)}`);
  err.line(waiting.length === 0 ? "nothing waits" : "answer with: toolmount approvals approve|deny <id>");
}
