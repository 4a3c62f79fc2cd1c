import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { Reasoner, Settings } from "@toolmount/reasoner";
import type { AskedModel, Asking, OpenReasoner } from "@toolmount/record/internal";
import type { Command } from "commander";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";

/**
 * Adds the options that choose a model and its server. They are for plans without a model, and take precedence over the plan's.
 */
export function addModelOptions(command: Command): Command {
  return command
    .option("--model <name>", "the model to ask; replay:<file> answers from a recorded exchange")
    .option("--base-url <url>", "a server that speaks the Responses API, without /responses");
}

/** Adds `--no-agents-md`, for commands that run turns. */
export function addAgentsOption(command: Command): Command {
  return command.option("--no-agents-md", "do not give the nearest AGENTS.md to the model as instructions");
}

/**
 * Returns the reasoner of a plan. If the plan has none, creates one with the model and server that the command names, or with a
 * model that runs on this machine. The key comes from the environment. Throws `USAGE_INVALID` if there is no model. A recorded
 * exchange is served over HTTP on loopback, and asked like any other server.
 */
export async function openReasoner(
  host: OpenedHost,
  options: AskedModel,
  shell: Shell,
): Promise<OpenReasoner> {
  const { settings, close } = await settingsOf(options, shell);
  const mounted = host.coordinator.get("orchestrator") as Reasoner | null;
  if (mounted !== null) return { reasoner: requireReasoner(mounted), settings, close };
  const { createReasoner, modelVariables, settingsSchema } = await import("@toolmount/reasoner");
  const place = settings.model === undefined ? await findLocalModel(settings, shell) : settings;
  if (place?.model === undefined) {
    await close();
    throw new ToolmountError("USAGE_INVALID", {
      problem:
        "no model is named, and no server of models runs on this machine: write --model gpt-5, or agent: { model: … } in the plan; toolmount doctor models shows what a model can do",
    });
  }
  const variables = modelVariables(place.model);
  const given = {
    ...place,
    baseUrl: place.baseUrl ?? valueOf(variables.baseUrl, shell),
    apiKey: settings.apiKey ?? valueOf(variables.key, shell),
  };
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success)
    return { reasoner: createReasoner(host.coordinator, { settings: parsed.data }), settings, close };
  await close();
  const [{ message, path } = { message: "", path: [] }] = parsed.error.issues;
  const from =
    path[0] === "baseUrl" ? `${place.baseUrl === undefined ? variables.baseUrl : "--base-url"}: ` : "";
  const problem = `${from}${message}; write a whole address, such as http://127.0.0.1:8080/v1`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}

/**
 * Returns what evaluations need from a terminal: a function that opens a model, the current folder, and a function that writes
 * notes.
 */
export function askingOf(shell: Shell): Asking {
  const note = (line: string) => shell.err.line(shell.err.paint("dim", line));
  return { open: (host, asked) => openReasoner(host, asked, shell), cwd: shell.cwd, note };
}

/**
 * Finds a model of a server that runs on this machine, and shows its name and address. Null if the command names a server or none
 * runs.
 */
async function findLocalModel(
  { baseUrl: named }: Partial<Settings>,
  { env, err }: Shell,
): Promise<Partial<Settings> | null> {
  if (named !== undefined) return null;
  const { chooseModel, findLocalServers } = await import("@toolmount/interop/internal");
  const [server] = await findLocalServers(env);
  if (server === undefined) return null;
  const model = `${server.provider}:${await chooseModel(server)}`;
  const others = server.models.length === 1 ? "" : `, one of ${server.models.length}`;
  const found = `no model is named: using ${printable(model)}${others}, which runs on this machine (${server.baseUrl})`;
  err.line(err.paint("dim", found));
  return { model, baseUrl: server.baseUrl };
}

/** Returns the value of an environment variable; undefined if it is not set or empty. */
function valueOf(variable: string | null, { env }: Shell): string | undefined {
  return variable === null ? undefined : env[variable] || undefined;
}

/** Opens a reasoner for work without a model: listing, showing and forking sessions. */
export async function openSessions(host: OpenedHost): Promise<Reasoner> {
  const mounted = host.coordinator.get("orchestrator") as Reasoner | null;
  if (mounted !== null) return requireReasoner(mounted);
  const { createReasoner, settingsSchema } = await import("@toolmount/reasoner");
  return createReasoner(host.coordinator, { settings: settingsSchema.parse({ model: "none" }) });
}

function requireReasoner(mounted: Reasoner): Reasoner {
  if (typeof mounted.run === "function" && typeof mounted.resume === "function") return mounted;
  throw new ToolmountError("USAGE_INVALID", {
    problem: "the plan's orchestrator is not @toolmount/reasoner, and this command cannot run it",
  });
}

async function settingsOf(
  { model, baseUrl }: AskedModel,
  shell: Shell,
): Promise<Pick<OpenReasoner, "settings" | "close">> {
  const file = model?.startsWith("replay:") === true ? model.slice("replay:".length) : undefined;
  if (file === undefined) {
    const given = { model, baseUrl };
    const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return { settings, close: async () => {} };
  }
  const { startReplay } = await import("@toolmount/reasoner");
  const replay = await startReplay(await readRecord(resolve(shell.cwd, file), file), file);
  shell.err.line(
    shell.err.paint(
      "dim",
      `replaying ${basename(file)}: recorded answers from ${replay.baseUrl}, no model is asked`,
    ),
  );
  const settings = { model: "replay", baseUrl: replay.baseUrl, stream: replay.stream, retries: 0 };
  return { settings, close: () => replay.close() };
}

async function readRecord(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new ToolmountError("REPLAY_INVALID", { file, problem: "it cannot be read" }, { cause });
  }
}
