import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { data, defineTool, silentLogger, type Coordinator } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import * as reasonerModule from "@toolmount/reasoner";
import type { Reasoner } from "@toolmount/reasoner";
import * as store from "@toolmount/store";
import * as delegate from "@toolmount/tool-delegate";
import * as modes from "@toolmount/tool-modes";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

interface Request {
  readonly input: readonly Readonly<Record<string, unknown>>[];
  readonly tools: readonly { readonly name: string }[];
  readonly instructions: string;
}

const call = (id: string, name: string, given: object = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(given),
});
const say = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

/** A model that answers each request with its next line. */
async function serveLines(lines: readonly (readonly object[])[]) {
  const requests: Request[] = [];
  const server = createServer(async (request, answer) => {
    const at = requests.push((await json(request)) as Request) - 1;
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(
      JSON.stringify({ id: `r${at}`, status: "completed", output: lines[at] ?? [say("no more lines")] }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const made: string[] = [];
beforeEach(() => {
  made.length = 0;
});

const common = { schema: z.strictObject({}), consequenceLevel: "low", requiresConfirmation: false } as const;

const acts = {
  mount(coordinator: Coordinator) {
    const act = (name: string, more: object = {}) =>
      defineTool({
        ...common,
        name,
        description: `Does ${name}. Use in tests.`,
        category: "side_effect",
        ...more,
        execute: (_, { mode = "", sessionId = "" }) => {
          made.push(`${name} in ${mode} by ${sessionId.replace(/^s-.*_/, "")}`);
          return data(`did ${name}`);
        },
      });
    coordinator.mount("tools", act("compile"));
    coordinator.mount("tools", act("read_log"));
    coordinator.mount("tools", act("pick_file", { execution: "client" }));
  },
};

function planOf(baseUrl: string) {
  return {
    version: 1,
    state: "sqlite:./state.db",
    policy: { budgets: { repeats: 3 } },
    agent: {
      model: "m",
      baseUrl,
      stream: false,
      maxIterations: 8,
      agents: { reader: { description: "Reads logs.", tools: ["read_*"], instructions: "Read only." } },
    },
    modes: {
      catalog: [
        { key: "general", displayName: "General", isDefault: true, tools: ["*", "!compile"] },
        { key: "coding", displayName: "Coding" },
      ],
    },
    tools: [{ module: "modes" }, { module: "delegate" }, { module: "acts" }],
  };
}

async function open(folder: string, baseUrl: string) {
  const extensions = {
    "@toolmount/reasoner": reasonerModule,
    "@toolmount/policy": policy,
    "@toolmount/store": store,
    modes,
    delegate,
    acts,
  };
  const asked: string[] = [];
  const host = await openHost(planOf(baseUrl), {
    cwd: folder,
    env: {},
    logger: silentLogger,
    extensions,
    approver: ({ tool }) => {
      asked.push(tool.name);
      return { decision: "approve", by: "ada" };
    },
  });
  return { host, asked, reasoner: host.coordinator.get("orchestrator") as Reasoner };
}

test("APTIX-22, APTIX-N6: a session changes its mode with permission, delegates a task, waits for the client, and ends in another host", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-session-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { requests, baseUrl } = await serveLines([
    [call("c1", "agent_change_mode", { mode: "coding", branch: false, reason: "the user wants to build" })],
    [say("We are coding from now on.")],
    [
      call("c2", "compile"),
      call("c3", "delegate", { agent: "reader", instruction: "What does the log say?" }),
      call("c4", "pick_file"),
    ],
    [call("k1", "read_log"), call("k2", "compile")],
    [say("The log says did read_log.")],
    [say("Compiled, read and picked.")],
  ]);
  const first = await open(folder, baseUrl);
  const changed = await first.reasoner.run(first.host, { sessionId: "s", prompt: "build it" });
  expect(changed).toMatchObject({ status: "done", text: "We are coding from now on." });
  expect(first.asked).toEqual(["agent_change_mode"]);

  const paused = await first.reasoner.run(first.host, { sessionId: "s", prompt: "go on" });
  expect(paused).toMatchObject({ status: "paused", waiting: [{ callId: "c4", waitsFor: "client" }] });
  await first.host.close();

  const second = await open(folder, baseUrl);
  const done = await second.reasoner.resume(second.host, {
    sessionId: "s",
    clientResults: [{ callId: "c4", result: "a.png" }],
  });
  expect(done).toMatchObject({ status: "done", text: "Compiled, read and picked.", turnId: paused.turnId });

  expect(made.toSorted()).toEqual(["compile in coding by s", "read_log in coding by reader"]);
  const offered = requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(offered[0]).not.toContain("compile");
  expect(offered[2]).toContain("compile");
  expect(offered[3]).toEqual(["read_log"]);
  expect(requests[3]!.instructions).toContain("Read only.");
  const outputs = requests[5]!.input.filter(({ type }) => type === "function_call_output").slice(-3);
  expect(outputs.map(({ call_id: id }) => id)).toEqual(["c2", "c3", "c4"]);
  expect(outputs[0]!["output"]).toBe("did compile");
  expect(JSON.parse(outputs[1]!["output"] as string)).toMatchObject({
    response: "The log says did read_log.",
    agent: "reader",
    status: "done",
  });
  expect(outputs[2]!["output"]).toBe("a.png");
  const [child] = await second.reasoner.list({ parentId: "s" });
  expect(child).toMatchObject({ agent: "reader", status: "done" });
  expect((await second.reasoner.show(child!.id)).items.at(-2)).toMatchObject({
    call_id: "k2",
    output: expect.stringMatching(/^Denied by hook: /) as string,
  });
  await second.host.close();
});

test("APTIX-N16: a model that repeats itself is warned, then answered without a run, and reminded when the turn is about to end", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-session-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const again = Array.from({ length: 8 }, (_, at) => [call(`c${at}`, "read_log")]);
  const { requests, baseUrl } = await serveLines(again);
  const { host, reasoner } = await open(folder, baseUrl);
  const turn = await reasoner.run(host, { sessionId: "s", prompt: "read it" });
  await host.close();

  expect(turn.error).toMatchObject({ code: "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED" });
  const last = (at: number) => requests[at]!.input.at(-1)!["output"] as string;
  expect(last(1)).toBe("did read_log");
  expect(last(2)).toMatch(/^did read_log\nWarning: the same call was made 2 times/);
  expect(JSON.parse(last(3))).toMatchObject({ suppressed: true, reason: "repeat_tool_call_detected" });
  expect(last(7)).toContain("last step of the turn");
  expect(made).toHaveLength(2);
});
