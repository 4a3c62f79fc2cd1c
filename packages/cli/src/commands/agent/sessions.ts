import { refusalOf } from "@toolmount/core/json";
import { ownSession, ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { ClientResult, Reasoner, SessionDetails } from "@toolmount/reasoner";
import { InvalidArgumentError, Option, type Command } from "commander";
import { addAgentsOption, addModelOptions, openSessions } from "../../agent/open-reasoner.ts";
import { listSessions, readSessionStory } from "../../agent/session-story.ts";
import { runTurn, type AgentOptions } from "../../agent/with-reasoner.ts";
import { openPlan } from "../../host/open-plan.ts";
import { sessionStoreOf } from "../../host/session-store.ts";
import { findByPrefix } from "../../options/find-by-prefix.ts";
import { addCallFilters, pastFilterOf, type CallFilterOptions } from "../../options/call-filters.ts";
import { addExamples, planArgument } from "../../options/common.ts";
import { addPlanSubcommand } from "../../options/plan-options.ts";
import { writeList, writeOutput } from "../../render/session.ts";
import { writeSessions, writeTicket, writeSessionStory } from "../../render/session-story.ts";
import { printable } from "../../screen/printable.ts";
import type { Screen } from "../../screen/screen.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends AgentOptions {
  readonly result?: string;
  readonly cancel?: true;
  readonly reason?: string;
  readonly output?: string;
  readonly format?: "markdown";
  readonly turns?: number;
  readonly session?: string;
}

const idArgument = "the id that list shows, or the beginning of it";

/** `toolmount sessions list|show|fork|rewind|rm|prune|resume`. */
export function define(command: Command, shell: Shell): void {
  const add = (name: string, summary: string) => addPlanSubcommand(command, name, summary);

  addCallFilters(add("list", "List sessions, the last changed first; with a filter, those whose calls fit"))
    .argument("[plan]", planArgument)
    .action((plan: string | undefined, options: Options & CallFilterOptions) => {
      const list = (reasoner: Reasoner, host: OpenedHost) =>
        listSessions(reasoner, host, pastFilterOf(options));
      return look(plan, options, shell, list, writeSessions);
    });
  add("show", "Show what was said in one session, what its calls did, and who allowed them")
    .argument("<id>", `${idArgument}; or the run id of one of its calls`)
    .argument("[plan]", planArgument)
    .option("--output <call>", "only the whole result of one call, by its id, also after it was cleared")
    .addOption(
      new Option("--format <name>", "markdown: the whole as text for a ticket").choices(["markdown"]),
    )
    .action((id: string, plan: string | undefined, options: Options) =>
      options.output === undefined
        ? look(
            plan,
            options,
            shell,
            (reasoner, host) => readSessionStory(reasoner, host, id),
            options.format === undefined ? writeSessionStory : writeTicket,
          )
        : look(plan, options, shell, (reasoner) => readOutput(reasoner, id, options.output!), writeOutput),
    );
  defineCopies(add, shell);
  defineDeletion(add, shell);
  defineResume(add, shell);
  addExamples(command, [
    "toolmount sessions list --json",
    "toolmount sessions resume 5f0c… mount-plans/coding.yaml",
  ]);
}

type Add = (name: string, summary: string) => Command;

function defineCopies(add: Add, shell: Shell): void {
  add("fork", "Copy a session to a new one, without its open turn")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--session <id>", "the id of the new session")
    .option("--turns <turns>", "as it was after so many turns", readNumberOf("turns"))
    .action((id: string, plan: string | undefined, options: Options) =>
      look(
        plan,
        options,
        shell,
        async (reasoner, host) =>
          reasoner.fork(host, await findSession(reasoner, id), options.session, undefined, options.turns),
        (screen, { id: made }) => screen.line(printable(made)),
      ),
    );
  add("rewind", "Remove the last turns from the conversation; what their calls did stays done")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--turns <n>", "how many turns", readNumberOf("turns"), 1)
    .action((id: string, plan: string | undefined, options: Options) =>
      look(
        plan,
        options,
        shell,
        async (reasoner, host) => reasoner.rewind(host, await findSession(reasoner, id), options.turns!),
        (screen, session, now) => writeList(screen, [session], now),
      ),
    );
}

function defineDeletion(add: Add, shell: Shell): void {
  add("rm", "Delete one session")
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .action((id: string, plan: string | undefined, options: Options) =>
      look(
        plan,
        options,
        shell,
        async (reasoner, host) => remove(host, [await findSession(reasoner, id)]),
        writeDeleted,
      ),
    );
  add("prune", "Delete sessions that did not change for some days, and that nothing waits for")
    .argument("<days>", "the days without a change", readNumberOf("days"))
    .argument("[plan]", planArgument)
    .action((days: number, plan: string | undefined, options: Options) =>
      look(
        plan,
        options,
        shell,
        async (reasoner, host) => {
          const before = Date.now() - days * 86_400_000;
          const old = (await reasoner.list()).filter(
            ({ updatedAt, waits }) => Number(new Date(updatedAt)) < before && waits === 0,
          );
          return remove(
            host,
            old.map(({ id }) => id),
          );
        },
        writeDeleted,
      ),
    );
}

function defineResume(add: Add, shell: Shell): void {
  addAgentsOption(addModelOptions(add("resume", "Resume a turn that waits, or whose process ended")))
    .argument("<id>", idArgument)
    .argument("[plan]", planArgument)
    .option("--user <id>", "the user of the turn")
    .option(
      "--result <json>",
      `results of calls that the client runs: [{ "callId": …, "result" or "error": … }]`,
    )
    .option("--cancel", "end the turn instead; calls that wait end as cancelled")
    .option("--reason <text>", "deny the calls that wait, and say this to the model")
    .action(async (written: string, plan: string | undefined, options: Options) => {
      const clientResults = readResults(options.result);
      const { cancel, reason: message } = options;
      let sessionId = "";
      // This runs before a model is looked for. Otherwise the error about a missing model would hide a wrong id.
      const before = async (host: OpenedHost) => {
        const ids = (await (await openSessions(host)).list()).map(({ id }) => id);
        sessionId = findByPrefix(written, ids);
        if (!ids.includes(sessionId) && !ids.includes(ownSession(options.user, sessionId)))
          throw new ToolmountError("SESSION_NOT_FOUND", { session: written });
      };
      shell.end(
        await runTurn({ ...options, before }, plan, shell, async ({ host, reasoner }, turn) =>
          reasoner.resume(host, { ...turn, sessionId, clientResults, cancel, message }),
        ),
      );
    });
}

/** Returns the session that an id, or the beginning of an id, names. */
async function findSession(reasoner: Reasoner, written: string): Promise<string> {
  const sessions = await reasoner.list();
  return findByPrefix(
    written,
    sessions.map(({ id }) => id),
  );
}

/** Returns the result of a call, as the session's log has it. Throws `USAGE_INVALID` if no call has this id. */
async function readOutput(
  reasoner: Reasoner,
  written: string,
  callId: string,
): Promise<SessionDetails["items"][number]> {
  const found = await reasoner.output(await findSession(reasoner, written), callId);
  if (found !== null) return found;
  throw new ToolmountError("USAGE_INVALID", {
    problem: `no call of this session has the id "${printable(callId)}"`,
  });
}

/** Deletes sessions. Returns the ids of those that the store had. */
async function remove(
  host: OpenedHost,
  ids: readonly string[],
): Promise<{ readonly deleted: readonly string[] }> {
  const store = sessionStoreOf(host);
  const deleted: string[] = [];
  for (const id of ids) if ((await store?.delete(id)) === true) deleted.push(id);
  return { deleted };
}

function writeDeleted(screen: Screen, { deleted }: { readonly deleted: readonly string[] }): void {
  for (const id of deleted) screen.line(`deleted ${printable(id)}`);
  if (deleted.length === 0) screen.line("no session was deleted");
}

function readNumberOf(things: string): (text: string) => number {
  return (text) => {
    if (/^\d{1,5}$/.test(text)) return Number(text);
    throw new InvalidArgumentError(`Give a whole number of ${things}.`);
  };
}

async function look<Value>(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  act: (reasoner: Reasoner, host: OpenedHost) => Promise<Value>,
  write: (screen: Screen, value: Value, now: number) => void,
): Promise<void> {
  const host = await openPlan(plan, options, shell);
  try {
    const value = await act(await openSessions(host), host);
    if (options.json === true) shell.out.json(value);
    else write(shell.out, value, Date.now());
  } finally {
    await host.close();
  }
  shell.end(exitCodes.done satisfies ExitCode);
}

function readResults(text: string | undefined): readonly ClientResult[] {
  if (text === undefined) return [];
  try {
    const given = refusalOf(text) === null ? (JSON.parse(text) as unknown) : null;
    if (Array.isArray(given) && given.every(isResult)) return given;
  } catch {
    // Text that is not JSON gets the error below, too, because that error names the option.
  }
  throw new ToolmountError("USAGE_INVALID", {
    problem: `--result is a list of { "callId", and "result" or "error" }, as JSON`,
  });
}

function isResult(given: unknown): given is ClientResult {
  const { callId, error } = (given ?? {}) as Readonly<Record<string, unknown>>;
  return typeof callId === "string" && (error === undefined || typeof error === "string");
}
