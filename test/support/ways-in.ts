import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  type GateHandler,
  type Host,
  type StateStore,
  type ToolOutcome,
} from "@toolmount/core";
import { toAiSdkTools, toLangChainTools } from "@toolmount/interop";
import { serveStreams } from "@toolmount/mcp";
import { onTestFinished } from "vitest";
import { commandFile, nodeFlags } from "./program.ts";
import { z } from "zod";

/** What stops a call. */
export const decisions = ["allow", "deny", "ask", "modify", "throws", "hangs"] as const;
type Decision = (typeof decisions)[number];

/** What came of a call: the arguments that the tool ran with, each time that it ran. */
interface Seen {
  readonly ran: readonly unknown[];
  /** What the way in returned to its caller, as text. */
  readonly reported: string;
}

/** What must come of each decision. */
export type Verdicts = Readonly<Record<Decision, "runs" | "runs modified" | "does not run">>;

/** One way by which a call comes to a host. */
export interface WayIn {
  readonly name: string;
  /** Files that send calls in by this way. */
  readonly sources: readonly string[];
  readonly go: (decision: Decision) => Promise<Seen>;
  /** Where they differ from those of a call that begins. */
  readonly verdicts?: Partial<Verdicts>;
}

/** Of a call that begins, whichever way it came. */
export const verdicts: Verdicts = {
  allow: "runs",
  deny: "does not run",
  ask: "does not run",
  modify: "runs modified",
  throws: "does not run",
  hangs: "does not run",
};

/** The arguments of every call of the table, and what the gate that modifies makes of them. */
export const given = { n: 1 };
export const modified = { n: 2 };

const context = { sessionId: "s", userId: "u" };

/** Every way in. A file that calls a host fails the build if it is in no row and not among the exceptions. */
export const waysIn: readonly WayIn[] = [
  {
    name: "the library",
    sources: ["packages/core/src/host/create-host.ts"],
    go: (decision) => called(decision, ({ host }) => host.call({ name: "probe", arguments: given }, context)),
  },
  {
    name: "a model's text",
    sources: [],
    go: (decision) =>
      called(decision, ({ host }) => host.call({ name: "probe", arguments: '{"n":1}' }, context)),
  },
  {
    name: "an alias",
    sources: [],
    go: (decision) => called(decision, ({ host }) => host.call({ name: "alias", arguments: given }, context)),
  },
  {
    name: "another case",
    sources: [],
    go: (decision) => called(decision, ({ host }) => host.call({ name: "PROBE", arguments: given }, context)),
  },
  {
    name: "a session, as the reasoner has it",
    sources: [
      "packages/core/src/host/session.ts",
      "packages/reasoner/src/turn/run-call.ts",
      "packages/reasoner/src/turn/questions.ts",
      "packages/reasoner/src/turn/bootstrap.ts",
    ],
    go: (decision) =>
      called(decision, ({ host }) =>
        host.session("s").call({ name: "probe", arguments: given }, { userId: "u" }),
      ),
  },
  {
    name: "a tool that calls a tool",
    sources: ["packages/core/src/call/tool-context.ts"],
    go: (decision) => called(decision, ({ host }) => host.call({ name: "outer" }, context)),
  },
  {
    name: "going on after an approval",
    sources: ["packages/core/src/host/create-host.ts"],
    go: (decision) => goneOn(decision, (asked, { host }) => host.resume(asked.ticket!, context)),
    // The one question of the call has been answered; what was approved is not what a gate makes of it.
    verdicts: { ask: "runs", modify: "does not run" },
  },
  {
    name: "going on in another process",
    sources: ["packages/cli/src/commands/calls/resume.ts"],
    go: (decision) =>
      goneOn(decision, (asked, { store, ran }) => {
        const other = world(store, ran, true);
        gate(other.host, decision);
        return other.host.resume(asked.ticket!, context);
      }),
    verdicts: { ask: "runs", modify: "does not run" },
  },
  {
    name: "going on twice",
    sources: [],
    go: (decision) =>
      goneOn(decision, async (asked, { host }) => {
        await host.resume(asked.ticket!, context);
        return host.resume(asked.ticket!, context);
      }),
    verdicts: { ask: "runs", modify: "does not run" },
  },
  {
    name: "the tools of the AI SDK",
    sources: ["packages/interop/src/providers/ai-sdk.ts", "packages/interop/src/providers/agent-calls.ts"],
    go: (decision) =>
      called(decision, ({ host }) => {
        const { probe } = toAiSdkTools(host, host.tools(), context);
        return probe!.execute(given).catch((error: unknown) => String(error));
      }),
  },
  {
    name: "the tools of LangChain",
    sources: ["packages/interop/src/providers/langchain.ts"],
    go: (decision) =>
      called(decision, ({ host }) =>
        toLangChainTools(host, host.tools(), context)
          .find(({ name }) => name === "probe")!
          .invoke(given),
      ),
  },
  {
    name: "a client of MCP",
    sources: ["packages/mcp/src/serve/served-session.ts"],
    go: (decision) => called(decision, ({ host }) => callOverMcp(host)),
  },
  {
    name: "the same request of a client of MCP again, after an approval",
    sources: ["packages/mcp/src/serve/served-session.ts"],
    go: byMcpAgain,
    verdicts: { ask: "runs", modify: "does not run" },
  },
  {
    name: "the command",
    sources: ["packages/cli/src/commands/calls/call.ts"],
    go: byCommand,
  },
];

/** Files that call a host and are no way in, each with the reason. */
export const noWaysIn: Readonly<Record<string, string>> = {
  "packages/http/src/api/calls.ts":
    "calls the host as the library does; packages/http/test/api.smoke.process.test.ts shows every decision over HTTP",
  "packages/http/src/api/until-decided.ts":
    "resumes a call or a turn after an approver decided; it decides nothing itself",
  "packages/http/src/work/background-calls.ts":
    "resumes a call after an approver decided; it decides nothing itself",
  "packages/workers/src/far/far-run.ts":
    "sends an inner call from a process of tools to its host, which decides it: packages/workers/test",
  "packages/core/src/host/approved-list.ts":
    "makes the calls of an approved list as inner calls of its own call, each of which is decided: packages/core/test/host/rehearse.test.ts",
  "packages/record/src/plan-tests/run.ts": "no tool runs: the plan's own tests give each result",
  "packages/record/src/plan-tests/replay.ts": "no tool runs: the calls of a tape get the tape's results",
  "packages/record/src/learn/judge-host.ts": "no tool runs: recorded calls are judged, and each gets no data",
  "packages/record/src/plan-evals/world.ts":
    "calls a host of an evaluation's own, after the evaluated plan has decided: packages/cli/test/agent/eval-worlds.process.test.ts",
  "packages/testing/src/trial/trial-calls.ts":
    "a kit for tests calls the tool that is tried, on a host of its own",
  "packages/testing/src/fakes/scripted.ts": "a kit for tests, on the host that the test gives",
};

interface World {
  readonly host: Host;
  readonly store: StateStore;
  readonly ran: unknown[];
}

function world(store: StateStore, ran: unknown[], confirm = false): World {
  const host = createHost({ store });
  const facts = {
    description: "Records its arguments. Use in tests.",
    category: "write",
    consequenceLevel: "low",
  } as const;
  const probe = defineTool({
    ...facts,
    name: "probe",
    schema: z.looseObject({ n: z.number() }),
    requiresConfirmation: confirm,
    execute: (params) => data(ran.push(params)),
  });
  const outer = defineTool({
    ...facts,
    name: "outer",
    schema: z.looseObject({}),
    requiresConfirmation: false,
    execute: async (_, { call }) => data((await call({ name: "probe", arguments: given })).status),
  });
  host.coordinator.mount("tools", probe, { name: "alias" });
  host.coordinator.mount("tools", outer);
  return { host, store, ran };
}

/** Puts a gate before the probe, and before nothing else. */
function gate({ coordinator }: Host, decision: Decision): void {
  const answer = gates[decision];
  coordinator.hooks.gate(
    "tool:pre",
    (event, payload) => (payload["tool_name"] === "probe" ? answer(event, payload) : undefined),
    {
      timeoutMs: 30,
    },
  );
}

const gates: Readonly<Record<Decision, GateHandler>> = {
  allow: () => ({ action: "continue" }),
  deny: () => ({ action: "deny", reason: "no" }),
  ask: () => ({ action: "ask_user", reason: "look" }),
  modify: () => ({ action: "modify", data: { tool_input: modified } }),
  throws: () => {
    throw new Error("the gate is broken");
  },
  hangs: () => new Promise(() => {}),
};

async function called(decision: Decision, go: (here: World) => Promise<unknown>): Promise<Seen> {
  const here = world(createMemoryStore(), []);
  gate(here.host, decision);
  return { reported: JSON.stringify(await go(here)), ran: here.ran };
}

/** A call that asked and was approved; then the gate is added, and the call is resumed. */
async function goneOn(
  decision: Decision,
  go: (asked: ToolOutcome, here: World) => Promise<unknown>,
): Promise<Seen> {
  const here = world(createMemoryStore(), [], true);
  const asked = await here.host.call({ name: "probe", arguments: given }, context);
  const [question] = await here.host.approvals.list();
  await here.host.approvals.decide(question!.id, "approve", "ada");
  gate(here.host, decision);
  return { reported: JSON.stringify(await go(asked, here)), ran: here.ran };
}

/** A call of a client of MCP that waits; then it is approved, the gate is added, and the client sends the same request. */
async function byMcpAgain(decision: Decision): Promise<Seen> {
  const here = world(createMemoryStore(), [], true);
  const client = connectMcp(here.host);
  await client.callProbe();
  const [question] = await here.host.approvals.list();
  await here.host.approvals.decide(question!.id, "approve", "ada");
  gate(here.host, decision);
  return { reported: JSON.stringify(await client.callProbe()), ran: here.ran };
}

function callOverMcp(host: Host): Promise<unknown> {
  return connectMcp(host).callProbe();
}

/** A client that writes lines of JSON-RPC, as MCP over stdio has them. */
function connectMcp(host: Host) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(host, { input, output });
  onTestFinished(() => served.close());
  const answers = createInterface({ input: output })[Symbol.asyncIterator]();
  let lastId = 0;
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = async (method: string, params: object): Promise<unknown> => {
    const id = ++lastId;
    send({ id, method, params });
    for (;;) {
      const { value, done } = await answers.next();
      if (done === true) throw new Error("the server ended");
      const message = JSON.parse(value) as { id?: number };
      if (message.id === id) return message;
    }
  };
  const clientInfo = { name: "test", version: "1.0.0" };
  const initialized = request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo,
  }).then(() => send({ method: "notifications/initialized" }));
  return {
    callProbe: async () => {
      await initialized;
      return request("tools/call", { name: "probe", arguments: given });
    },
  };
}

/** The same gate and the same tool, as files beside a plan. */
async function byCommand(decision: Decision): Promise<Seen> {
  const root = join(import.meta.dirname, "../..");
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-ways-in-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "node_modules/@toolmount"), { recursive: true });
  await symlink(join(root, "packages/core"), join(folder, "node_modules/@toolmount/core"));
  await symlink(join(root, "test/node_modules/zod"), join(folder, "node_modules/zod"));
  await writeFile(join(folder, "plan.yaml"), "version: 1\ntools:\n  - module: ./probe.mjs\n");
  await writeFile(join(folder, "ran"), "");
  await writeFile(join(folder, "probe.mjs"), moduleText(decision, join(folder, "ran")));
  const words = ["call", "plan.yaml", "probe", JSON.stringify(given), "--json"];
  const child = spawn(process.execPath, [...nodeFlags, commandFile, ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reported = await text(child.stdout);
  const lines = (await readFile(join(folder, "ran"), "utf8")).split("\n").filter((line) => line !== "");
  return { reported, ran: lines.map((line) => JSON.parse(line) as unknown) };
}

function moduleText(decision: Decision, file: string): string {
  return `
    import { appendFileSync } from "node:fs";
    import { data, defineTool } from "@toolmount/core";
    import { z } from "zod";
    const modified = ${JSON.stringify(modified)};
    export function mount(coordinator) {
      coordinator.hooks.gate("tool:pre", ${gates[decision].toString()}, { timeoutMs: 30 });
      coordinator.mount("tools", defineTool({
        name: "probe", description: "Records its arguments. Use in tests.", schema: z.looseObject({ n: z.number() }),
        category: "write", consequenceLevel: "low", requiresConfirmation: false,
        execute: (params) => data(appendFileSync(${JSON.stringify(file)}, JSON.stringify(params) + "\\n") ?? null),
      }));
    }
  `;
}
