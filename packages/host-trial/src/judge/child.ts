import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Answer, HostAdapter, OpenHost, TrialTool } from "../contract.ts";
import { appendEffect } from "./ledger.ts";
import { faults, toolFacts, type Fault } from "./tools.ts";

/** What the judge asks of the process that holds the host. */
export type Command =
  | { readonly do: "facts" }
  | { readonly do: "start"; readonly root: string; readonly modelUrl: string; readonly faults: Faults }
  | { readonly do: "say"; readonly thread: string; readonly message: string }
  | { readonly do: "answer"; readonly thread: string; readonly answers: readonly Answer[] }
  | { readonly do: "resume"; readonly thread: string }
  | { readonly do: "open"; readonly thread: string };

/** What goes wrong in a tool, by its name. */
export type Faults = Readonly<Record<string, Fault>>;

/** Holds one host in this process, and does what the judge asks, until it is killed. */
export async function holdHost(adapterPath: string): Promise<void> {
  const { adapter } = (await import(pathToFileURL(adapterPath).href)) as { adapter?: HostAdapter };
  if (adapter === undefined) throw new Error(`${adapterPath} exports no host as "adapter"`);
  let host: OpenHost | undefined;
  const start = async ({ root, modelUrl, faults: wrong }: Command & { do: "start" }) => {
    const tools = toolsOf(join(root, "ledger.jsonl"), wrong);
    host = await adapter.start({ folder: join(root, "host"), modelUrl, tools });
    return null;
  };
  const run = (command: Command): Promise<unknown> => {
    if (command.do === "start") return start(command);
    if (command.do === "say") return host!.say(command.thread, command.message);
    if (command.do === "answer") return host!.answer(command.thread, command.answers);
    if (command.do === "resume") return host!.resume!(command.thread);
    if (command.do === "open") return host!.open(command.thread);
    return Promise.resolve({ name: adapter.name, version: adapter.version, can: adapter.can });
  };
  process.on("message", ({ id, command }: { id: number; command: Command }) => {
    run(command).then(
      (value) => process.send!({ id, value }),
      (error: unknown) =>
        process.send!({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.once("disconnect", () => process.exit(0));
  process.send!({ ready: true });
}

function toolsOf(ledger: string, wrong: Faults): readonly TrialTool[] {
  return toolFacts.map((facts) => ({
    ...facts,
    run: async (args: unknown) => {
      const fault = faults[wrong[facts.name] ?? "none"];
      await fault.before?.();
      appendEffect(ledger, facts.name, args);
      return fault.after === undefined ? `${facts.name} did it` : fault.after();
    },
  }));
}
