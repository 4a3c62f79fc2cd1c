import { ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { ClientResult, Reasoner, SessionDetails, SessionSummary } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addModelOptions, openSessions } from "../../agent/open-reasoner.ts";
import { tellTurn, type AgentOptions } from "../../agent/with-reasoner.ts";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { printable, printableLines } from "../../screen/printable.ts";
import type { Screen } from "../../screen/screen.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends AgentOptions {
  readonly results?: string;
  readonly cancel?: true;
  readonly as?: string;
}

/** `toolmount sessions list|show|fork|resume`. */
export function define(command: Command, shell: Shell): void {
  const add = (name: string, summary: string) =>
    addPlanOptions(command.command(name).summary(summary).description(`${summary}.`)).option(...jsonOption);
  const idArgument = "the id that the list shows";

  add("list", "List sessions, the one that changed last first")
    .argument("[plan]", planArgument)
    .action((plan: string | undefined, options: Options) =>
      look(plan, options, shell, (reasoner) => reasoner.list(), writeList),
    );
  add("show", "Show one session: what was said, called and answered")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .action((id: string, plan: string | undefined, options: Options) =>
      look(plan, options, shell, (reasoner) => reasoner.show(id), writeDetails),
    );
  add("fork", "Begin a new session with all that one has; a turn that is open is left out")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--as <id>", "the id of the new one")
    .action((id: string, plan: string | undefined, options: Options) =>
      look(
        plan,
        options,
        shell,
        (reasoner, host) => reasoner.fork(host, id, options.as),
        (screen, { id: made }) => screen.line(printable(made)),
      ),
    );
  addModelOptions(add("resume", "Go on with a turn that waits, or whose process is gone"))
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--user <id>", "the user on whose behalf the turn was begun")
    .option("--results <json>", `what the client did: [{ "callId": …, "result" or "error": … }]`)
    .option("--cancel", "end the turn instead; what waits is answered as cancelled")
    .action(async (sessionId: string, plan: string | undefined, options: Options) => {
      const clientResults = readResults(options.results);
      const { cancel } = options;
      shell.end(
        await tellTurn(options, plan, shell, ({ host, reasoner }, turn) =>
          reasoner.resume(host, { ...turn, sessionId, clientResults, cancel }),
        ),
      );
    });
  addExamples(command, [
    "toolmount sessions list --json",
    "toolmount sessions resume 5f0c… mount-plans/coding.yaml",
  ]);
}

async function look<Value>(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  act: (reasoner: Reasoner, host: OpenedHost) => Promise<Value>,
  write: (screen: Screen, value: Value) => void,
): Promise<void> {
  const host = await openPlan(plan, options, shell);
  try {
    const value = await act(await openSessions(host), host);
    if (options.json === true) shell.out.json(value);
    else write(shell.out, value);
  } finally {
    await host.close();
  }
  shell.end(exitCodes.done satisfies ExitCode);
}

function writeList(screen: Screen, sessions: readonly SessionSummary[]): void {
  if (sessions.length === 0) return screen.line("no sessions yet");
  for (const { id, status, waits, turns, agent, title } of sessions) {
    const state = waits > 0 ? `waits (${waits})` : status;
    const who = agent === null ? "" : ` ${screen.paint("cyan", printable(agent))}`;
    screen.line(
      `${screen.paint("bold", printable(id))} ${state.padEnd(9)} ${String(turns).padStart(3)} ${turns === 1 ? "turn " : "turns"}${who}  ${screen.paint("dim", printable(title))}`,
    );
  }
}

function writeDetails(screen: Screen, details: SessionDetails): void {
  writeList(screen, [details]);
  if (details.parentId !== null) screen.line(screen.paint("dim", `parent ${printable(details.parentId)}`));
  for (const item of details.items) screen.line(itemText(screen, item));
  for (const { tool, waitsFor, callId } of details.waiting)
    screen.line(screen.paint("yellow", `… ${printable(tool)} waits for: ${waitsFor} (${printable(callId)})`));
  for (const child of details.children) screen.line(screen.paint("dim", `child ${printable(child)}`));
}

function itemText(
  screen: Screen,
  { type, role, content, name, arguments: given, output }: SessionDetails["items"][number],
): string {
  const text = (value: unknown) => printableLines(typeof value === "string" ? value : JSON.stringify(value));
  if (type === "function_call")
    return `  ${screen.paint("dim", "→")} ${text(name)} ${screen.paint("dim", text(given))}`;
  if (type === "function_call_output") return `  ${screen.paint("dim", "←")} ${text(output)}`;
  if (type === "message") return `${screen.paint("bold", text(role))}: ${text(partsText(content))}`;
  return screen.paint("dim", `(${text(type)})`);
}

function partsText(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => (part as { text?: string } | null)?.text ?? "").join("");
}

function readResults(text: string | undefined): readonly ClientResult[] {
  if (text === undefined) return [];
  try {
    const given = JSON.parse(text) as unknown;
    if (Array.isArray(given) && given.every(isResult)) return given;
  } catch {
    // told below
  }
  throw new ToolmountError("USAGE_INVALID", {
    problem: `--results is a list of { "callId", and "result" or "error" }, as JSON`,
  });
}

function isResult(given: unknown): given is ClientResult {
  const { callId, error } = (given ?? {}) as Readonly<Record<string, unknown>>;
  return typeof callId === "string" && (error === undefined || typeof error === "string");
}
