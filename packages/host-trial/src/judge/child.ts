import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Answer, HostAdapter, ListedCall, OpenHost, TrialTool } from "../contract.ts";
import { appendEffect } from "./ledger.ts";
import { faults, toolsWith, type Change, type Fault } from "./tools.ts";
import { Writes } from "./writes.ts";

/** A command of the judge to the process that runs the host. */
export type Command =
  | { readonly do: "facts" }
  | { readonly do: "writes" }
  | ({ readonly do: "start"; readonly root: string; readonly modelUrl: string } & StartOptions)
  | { readonly do: "say"; readonly thread: string; readonly message: string }
  | { readonly do: "answer"; readonly thread: string; readonly answers: readonly Answer[] }
  | { readonly do: "list"; readonly thread: string; readonly calls: readonly ListedCall[] }
  | { readonly do: "resume" | "cancel" | "withdraw" | "undo" | "open"; readonly thread: string };

/** The faults of tools, by the tool's name. */
type Faults = Readonly<Record<string, Fault>>;

/** How a host may differ from the host that ran before it over the same folder. */
export interface StartOptions {
  readonly faults?: Faults | undefined;
  readonly change?: Change | undefined;
  readonly mostRequests?: number | undefined;
  /** The process ends before the write with this number, counted from 1 while an answer is handled. */
  readonly dieAtWrite?: number | undefined;
}

/** The limit of requests in a turn, except in the rows about this limit. No row needs as many. */
const manyRequests = 20;

const writes = new Writes();

/** Runs one host in this process, and executes the judge's commands until the process is killed. */
export async function holdHost(adapterPath: string): Promise<void> {
  process.once("disconnect", () => process.exit(0));
  await writes.watch();
  const adapter = await adapterAt(adapterPath).catch((error: unknown) => {
    process.send!({ failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
  });
  if (adapter !== undefined) hold(adapter);
}

/** Imports the adapter that a file exports, and checks it. */
async function adapterAt(path: string): Promise<HostAdapter> {
  const { adapter } = (await import(pathToFileURL(path).href)) as { adapter?: Partial<HostAdapter> };
  if (adapter === undefined) throw new TypeError('it exports no host as "adapter"');
  const { name, version, can, start } = adapter;
  if (typeof name !== "string" || typeof version !== "string" || !Array.isArray(can))
    throw new TypeError("the adapter has to have a name, a version, and the list can");
  if (typeof start !== "function") throw new TypeError("the adapter has to have the function start");
  return adapter as HostAdapter;
}

function hold(adapter: HostAdapter): void {
  let host: OpenHost | undefined;
  let dieAtWrite: number | undefined;
  const start = async (command: Command & { do: "start" }) => {
    const { root, modelUrl, mostRequests = manyRequests } = command;
    dieAtWrite = command.dieAtWrite;
    host = await adapter.start({
      folder: join(root, "host"),
      modelUrl,
      mostRequests,
      tools: toolsOf(root, command),
    });
    // Node stores compiled code when a process ends, but this process will be killed.
    flushCompileCache();
    return null;
  };
  const run = (command: Command): Promise<unknown> => {
    if (command.do === "start") return start(command);
    if (command.do === "say") return host!.say(command.thread, command.message);
    if (command.do === "answer") {
      writes.begin(dieAtWrite);
      return host!.answer(command.thread, command.answers);
    }
    if (command.do === "list") return host!.list!(command.thread, command.calls);
    if (command.do === "writes") return Promise.resolve(writes.count);
    if (command.do !== "facts") return host![command.do]!(command.thread);
    const { name, version, can, delegation } = adapter;
    return Promise.resolve({ name, version, can, delegation });
  };
  process.on("message", ({ id, command }: { id: number; command: Command }) => {
    run(command).then(
      (value) => process.send!({ id, value }),
      (error: unknown) =>
        process.send!({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.send!({ ready: true });
}

function toolsOf(root: string, { faults: wrong = {}, change }: StartOptions): readonly TrialTool[] {
  return toolsWith(change).map((facts) => ({
    ...facts,
    run: async (args: unknown) => {
      const fault = faults[wrong[facts.name] ?? "none"];
      await fault.before?.(root);
      appendEffect(join(root, "ledger.jsonl"), facts.name, args);
      return fault.after === undefined ? `${facts.name} did it` : fault.after();
    },
    ...(facts.name === "pay" && {
      undo: async (args: unknown) => appendEffect(join(root, "ledger.jsonl"), "undo", args),
    }),
  }));
}
