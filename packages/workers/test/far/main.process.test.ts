import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { readLines } from "../../src/far/lines.ts";

const program = fileURLToPath(new URL("../../src/far/main.ts", import.meta.url));
const module = fileURLToPath(new URL("../modules/protocol.ts", import.meta.url));
const shape = { value: {}, methods: ["ask"] };
const grants = {
  hooks: ["tool:pre"],
  capabilities: ["protocol.names", "protocol.given"],
  given: { "protocol.given": shape },
};

type Message = Readonly<Record<string, unknown>>;

/** A process for the calls of a module; the test is its host. */
function start(...options: string[]) {
  const words = [...options, "--conditions=@toolmount/source", program];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const channel = child.stdio[3] as Duplex;
  const waiting: ((message: Message) => void)[] = [];
  const come: Message[] = [];
  readLines(channel, 1e9, {
    line(text) {
      const message = JSON.parse(text) as Message;
      const next = waiting.shift();
      if (next === undefined) come.push(message);
      else next(message);
    },
    tooLong: () => undefined,
    closed: () => undefined,
  });
  const say = (message: object) => void channel.write(`${JSON.stringify(message)}\n`);
  const next = () => {
    const message = come.shift();
    return message === undefined ? new Promise<Message>((resolve) => waiting.push(resolve)) : message;
  };
  const mount = (more: object = {}, config: object = {}) => {
    const paths = { folder: "/tmp", protectedPaths: [], secretPaths: [] };
    say({ type: "mount", module: { specifier: module, config }, ...paths, describe: true, grants, ...more });
    return next();
  };
  const run = (runId: string, given: object, more: object = {}) => {
    const info = { tool: "act", callId: "c", runId, depth: 0, rehearsalId: "x" };
    say({ type: "run", runId, tool: "act", info, arguments: given, state: {}, ...more });
    return next();
  };
  const ask = (question: object) => (say({ type: "ask", runId: "q", question }), next());
  return { child, channel, say, next, mount, run, ask };
}

async function mounted() {
  const far = start();
  expect(await far.mount()).toMatchObject({ type: "mounted" });
  return far;
}
const returned = (runId: string, value: unknown) => ({ type: "returned", runId, value });
const threw = (runId: string, message: string) => ({
  type: "threw",
  runId,
  thrown: expect.objectContaining({ kind: "error", message }),
});

describe("a process mounts its module", () => {
  test("and reports what the module registers, where its host has not imported it", async () => {
    const far = start();
    const report = await far.mount({}, { path: "p" });
    const tools = (report["tools"] as { name: string }[]).map(({ name }) => name);
    expect({ ...report, tools }).toEqual({
      type: "mounted",
      keepsState: true,
      tools: ["act"],
      contributions: [],
      hooks: [{ id: expect.any(Number), kind: "gate", event: "tool:pre" }],
      capabilities: [{ name: "protocol.names", shape: { value: { path: "p" }, methods: ["upper", "ask"] } }],
    });
    const other = start();
    expect(await other.mount({ describe: false })).toEqual({ type: "mounted", keepsState: false });
  });

  test.each([
    [{}, { path: 1 }, true, "path: Invalid input: expected string, received number"],
    [{ module: { specifier: "/none.ts", config: {} } }, {}, false, expect.stringContaining("/none.ts")],
    [{ grants: { hooks: [], capabilities: [], given: {} } }, {}, false, expect.stringContaining("tool:pre")],
  ])("or says why it cannot: %j, %j", async (more, config, isConfig, problem) => {
    expect(await start().mount(more, config)).toEqual({ type: "refused", problem, config: isConfig });
  });

  test("and ends with its host", async () => {
    const { child, channel } = await mounted();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    channel.destroy();
    expect(await ended).toBe(0);
  });
});

test("a call runs a tool of the module, with arguments that its schema accepts", async () => {
  const { run } = await mounted();
  expect(await run("a", { act: "echo" })).toEqual(returned("a", { data: "" }));
  expect(await run("b", { act: "fly" })).toEqual({
    type: "invalid",
    runId: "b",
    issues: [
      {
        path: ["act"],
        message: 'act must be one of "call", "keep", "wait", "echo", "paths", "emit", "signal"',
      },
    ],
  });
  expect(await run("c", {}, { tool: "none" })).toEqual({
    type: "threw",
    runId: "c",
    thrown: {
      kind: "error",
      name: "Error",
      message: 'the module has no tool "none" in a process of its own',
    },
  });
  // The arguments of an undo were parsed before its call.
  const undo = { instead: { undo: { data: 7, arguments: {} } } };
  expect(await run("d", { act: "fly" }, undo)).toEqual(returned("d", { data: { undone: 7 } }));
});

test("behind Node's permission model a tool can send no signal, and elsewhere it can", async () => {
  const { run } = await mounted();
  expect(await run("a", { act: "signal", text: "sent" })).toEqual(returned("a", { data: "sent" }));
  const far = start("--permission", "--allow-fs-read=*");
  expect(await far.mount()).toMatchObject({ type: "mounted" });
  expect(await far.run("a", { act: "signal" })).toEqual(
    threw("a", "a signal cannot be sent behind this border"),
  );
});

test("an event of a module goes to the host", async () => {
  const { run, next } = await mounted();
  const data = { text: "t", timestamp: expect.any(String) };
  const event = { type: "event", event: "protocol:changed", data };
  expect([await run("a", { act: "emit", text: "t" }), await next()]).toEqual([
    event,
    returned("a", { data: "t" }),
  ]);
});

test("before its module is mounted a process has no tool", async () => {
  const { run } = start();
  expect(await run("a", {})).toEqual(threw("a", 'the module has no tool "act" in a process of its own'));
});

test("a call that is aborted is said to stop, and ends with the reason; an end of another is ignored", async () => {
  const { run, say, next, channel } = await mounted();
  const waits = run("a", { act: "wait" });
  say({ type: "abort", runId: "other", name: "AbortError", message: "no" });
  expect(await waits).toEqual({ type: "aborting", runId: "other" });
  say({ type: "abort", runId: "a", name: "TimeoutError", message: "it is late" });
  expect([await next(), await next()]).toEqual([{ type: "aborting", runId: "a" }, threw("a", "it is late")]);
  expect(channel.destroyed).toBe(false);
});

test("what a tool asks of the host is numbered, and its answers end it", async () => {
  const { run, say, next } = await mounted();
  const request = { name: "other", arguments: { text: "t" } };
  expect(await run("a", { act: "call", text: "t" })).toEqual({ type: "call", runId: "a", id: 0, request });
  expect(await run("b", { act: "call", text: "t" })).toMatchObject({ type: "call", runId: "b", id: 1 });
  say({ type: "called", id: 1, outcome: { status: "ok" } });
  expect(await next()).toEqual(returned("b", { data: "ok" }));
  say({ type: "call-failed", id: 0, message: "the host closes" });
  expect(await next()).toEqual(threw("a", "the host closes"));

  const keeps = { keeps: true };
  expect(await run("c", { act: "keep", text: "t" }, keeps)).toEqual({
    type: "keep",
    runId: "c",
    id: 2,
    data: { text: "t" },
  });
  say({ type: "kept", id: 2 });
  expect(await next()).toEqual(returned("c", { data: "t" }));
  expect(await run("d", { act: "keep" }, keeps)).toMatchObject({ type: "keep", id: 3 });
  say({ type: "kept", id: 3, problem: "the store is full" });
  expect(await next()).toEqual(threw("d", "the store is full"));
});

test("hooks and capabilities answer, and a capability of the host is asked for by its process", async () => {
  const far = start();
  const report = await far.mount();
  const [{ id: hook }] = report["hooks"] as [{ id: number }];
  const { ask, say, next } = far;
  const asked = (event: string, id = hook) => ask({ hook: id, event, data: { a: 1 } });
  expect(await asked("tool:pre")).toEqual(returned("q", { action: "deny", reason: '{"a":1}' }));
  expect(await asked("tool:pre", 999)).toEqual({ type: "returned", runId: "q" });
  const names = { capability: "protocol.names", arguments: ["a"] };
  expect(await ask({ ...names, method: "upper" })).toEqual(returned("q", "A"));
  expect(await ask({ ...names, method: "lower" })).toMatchObject({ type: "threw", runId: "q" });
  expect(await ask({ ...names, capability: "none", method: "upper" })).toMatchObject({ type: "threw" });
  expect(await ask({ ...names, method: "ask" })).toEqual({
    type: "use",
    id: 0,
    name: "protocol.given",
    method: "ask",
    arguments: ["now"],
  });
  say({ type: "used", id: 0, value: { seen: true } });
  expect(await next()).toEqual(returned("q", { seen: true }));
});

test("previews of a rehearsal see what was staged before, of the last 64 rehearsals", async () => {
  const { run } = await mounted();
  const preview = async (rehearsalId: string, text: string, staged: "first" | "again") => {
    const info = { tool: "act", callId: "c", runId: "p", depth: 0, rehearsalId };
    return run("p", { act: "echo", text }, { info, instead: { preview: true }, staged });
  };
  const seen = (...texts: string[]) => returned("p", { effects: [], result: { data: texts } });
  expect(await preview("first", "a", "first")).toEqual(seen("a"));
  expect(await preview("second", "b", "first")).toEqual(seen("b"));
  for (let at = 0; at < 62; at++) await preview(`r${at}`, "x", "first");
  expect(await preview("first", "c", "again")).toEqual(seen("a", "c"));
  await preview("r62", "x", "first");
  expect(await preview("first", "d", "again")).toEqual(seen("a", "c", "d"));
  expect(await preview("second", "e", "again")).toEqual(
    threw("p", "what the rehearsal staged is no longer there; rehearse again"),
  );
});
