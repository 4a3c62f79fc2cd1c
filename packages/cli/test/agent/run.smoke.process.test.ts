import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { oneTool, planOf, workspace, type Ended } from "../support/workspace.ts";

// Each test is several processes, one after the other.
const echo = oneTool({ name: "echo", schema: "text: z.string()", body: "return data(params.text);" });
const write = oneTool({
  name: "write",
  confirm: "true",
  body: `const { appendFileSync } = await import("node:fs"); appendFileSync("written.txt", "x"); return data("written");`,
});
const pick = `
  import { data, defineTool, type Coordinator } from "@toolmount/core";
  import { z } from "zod";
  export function mount(coordinator: Coordinator) {
    coordinator.mount("tools", { ...defineTool({
      name: "pick", description: "Picks. Use in tests.", schema: z.strictObject({}), category: "read",
      consequenceLevel: "low", requiresConfirmation: false, execution: "client", execute: () => data(1),
    }) });
  }
`;

/** With --json each line is an event, and the last one has the turn's result. */
function lastLine({ stdout }: Ended): unknown {
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(events[0]).toMatchObject({ type: "begin" });
  return events.at(-1);
}

test("toolmount run answers from a record, shows text and calls, and says that no model is asked", async () => {
  const exchange = [
    response(call("c1", "echo", { text: "hello" }), call("c2", "gone")),
    response(say("It said hello.")),
  ];
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./echo.ts"),
    "echo.ts": echo,
    "exchange.json": JSON.stringify(exchange),
  });
  const ended = await run(["run", "--model", "replay:exchange.json", "say hello"]);

  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toMatch(/→ echo \{"text":"hello"\}/);
  expect(ended.stderr).toMatch(/✔ ok echo \d+ ms/);
  expect(ended.stderr).toMatch(/not_found gone TOOL_NOT_FOUND/);
  // A script reads the answer alone: answer=$(toolmount run …).
  expect(ended.stdout).toBe("It said hello.\n");
  expect(ended.stderr).toMatch(
    /replaying exchange\.json: recorded answers from http:\/\/127\.0\.0\.1:\d+\/v1, no model is asked/,
  );
  expect(ended.stderr).toMatch(/session [0-9a-f]{8} · 2 requests · 2 calls · 6 \+ 4 tokens/);
});

test("a turn that waits for a person is found, approved and resumed by other processes, and runs once", async () => {
  const { run, read } = await workspace({
    "mount-plan.yaml": planOf("./write.ts"),
    "write.ts": write,
    "one.json": JSON.stringify([response(call("c1", "write"))]),
    "two.json": JSON.stringify([response(say("It is written."))]),
  });
  const paused = await run(["run", "--session", "s1", "--model", "replay:one.json", "write"]);
  expect(paused.code, paused.stderr).toBe(3);
  expect(paused.stdout).toBe("");
  expect(paused.stderr).toMatch(/write waits for a person: toolmount approvals list/);
  expect(paused.stderr).toMatch(/resume with: toolmount sessions resume s1/);
  const list = await run(["sessions", "list"]);
  expect(list.stdout).toMatch(/^s1 +waits \(1\) +just now +1 +– +write$/m);

  const { stdout } = await run(["approvals", "list", "--json"]);
  const id = /"id": "([^"]+)"/.exec(stdout)![1]!;
  expect((await run(["approvals", "approve", id])).code).toBe(0);
  const done = await run(["sessions", "resume", "s1", "--model", "replay:two.json", "--json"]);

  expect(done.code, done.stderr).toBe(0);
  expect(lastLine(done)).toMatchObject({
    type: "done",
    result: { status: "done", text: "It is written.", calls: 1 },
  });
  expect(await read("written.txt")).toBe("x");
  const shown = await run(["sessions", "show", "s1"]);
  expect(shown.stdout).toMatch(/← written\nassistant: It is written\./);
});

test("a session that became too long says so, and what the model no longer sees can be read", async () => {
  const calls = [1, 2, 3, 4, 5].map((n) =>
    response(call(`c${n}`, "echo", { text: `${n} ${"x".repeat(2_400)}` })),
  );
  const { here: run } = await workspace({
    "mount-plan.yaml": `${planOf("./echo.ts")}agent: { model: m, compaction: 1000 }\n`,
    "echo.ts": echo,
    "exchange.json": JSON.stringify([...calls, response(say("Five were read.")), response(say("All done."))]),
  });
  const ended = await run(["run", "--session", "s1", "--model", "replay:exchange.json", "read all"]);

  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toMatch(
    /the conversation is shortened: a summary replaces \d+ older items \(about \d+ → \d+ tokens\)/,
  );
  const shown = await run(["sessions", "show", "s1"]);
  expect(shown.stdout).toMatch(/the model sees now: \d+ items · about \d+ tokens · .*summaries written: 1/);
  expect(shown.stdout).toContain("user: read all");
  expect(shown.stdout).toContain("Five were read.");
  expect((await run(["sessions", "show", "s1", "--output", "c1"])).stdout).toBe(`1 ${"x".repeat(2_400)}\n`);
  expect((await run(["sessions", "show", "s1", "--output", "c9"])).stderr).toContain(
    'no call of this session has the id "c9"',
  );
});

test("what the client did comes with --result, and a session forks", async () => {
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./pick.ts"),
    "pick.ts": pick,
    "one.json": JSON.stringify([response(call("c1", "pick"))]),
    "two.json": JSON.stringify([response(say("thanks"))]),
  });
  const paused = await run(["run", "--session", "s1", "--model", "replay:one.json", "pick", "--json"]);
  expect(lastLine(paused)).toMatchObject({
    type: "done",
    result: { status: "paused", waiting: [{ callId: "c1", waitsFor: "client" }] },
  });
  const refused = await run(["sessions", "resume", "s1", "--model", "replay:two.json", "--result", "[7]"]);
  expect(refused.code).toBe(2);

  const results = JSON.stringify([{ callId: "c1", result: "a.png" }]);
  const done = await run(["sessions", "resume", "s1", "--model", "replay:two.json", "--result", results]);
  expect(done.code, done.stderr).toBe(0);
  const fork = await run(["sessions", "fork", "s1", "--session", "s2"]);
  expect(fork.stdout.trim()).toBe("s2");
  expect((await run(["sessions", "show", "s2"])).stdout).toContain("assistant: thanks");
});

test("a session that is shown names its parent, and the sessions that it began", async () => {
  const hand = `
  import { data, defineTool, type Coordinator } from "@toolmount/core";
  import { z } from "zod";
  export function mount(coordinator: Coordinator) {
    coordinator.mount("tools", defineTool({
      name: "hand", description: "Hands on. Use in tests.", schema: z.strictObject({}), category: "read",
      consequenceLevel: "low", requiresConfirmation: false, timeout: 0,
      execute: async (_, { sessionId, turnId, abortSignal }) => {
        const spawn = coordinator.getCapability("session.spawn")!;
        const ids = { parentSessionId: sessionId!, parentTurnId: turnId! };
        return data((await spawn({ agent: "self", instruction: "do it", abortSignal, ...ids })).sessionId);
      },
    }));
  }
`;
  const { here: run } = await workspace({
    "mount-plan.yaml": `${planOf("./hand.ts")}agent: { model: m }\n`,
    "hand.ts": hand,
    "one.json": JSON.stringify([response(call("c1", "hand")), response(say("done")), response(say("end"))]),
  });
  const ended = await run(["run", "--session", "s1", "--model", "replay:one.json", "go"]);
  expect(ended.code, ended.stderr).toBe(0);

  const { stdout } = await run(["sessions", "show", "s1"]);
  expect(stdout, ended.stdout).toMatch(/^child /m);
  expect(stdout).not.toMatch(/^parent /m);
  const child = /^child (s1-[0-9a-f]{16}_self)$/m.exec(stdout)?.[1];
  expect((await run(["sessions", "show", child!])).stdout).toMatch(/^parent s1$/m);
});

test("Ctrl-C cancels the turn and answers every call", async () => {
  const hang = oneTool({
    name: "hang",
    body: `console.error("hangs"); await new Promise(() => {}); return data(context.runId);`,
  });
  const { start, here: run } = await workspace({
    "mount-plan.yaml": planOf("./hang.ts"),
    "hang.ts": hang,
    "exchange.json": JSON.stringify([response(call("c1", "hang"), call("c2", "hang"))]),
  });
  const { child, ended } = start(["run", "--session", "s1", "--model", "replay:exchange.json", "hang"]);
  await once(child.stderr!, "data").then(async function wait([data]: unknown[]): Promise<void> {
    if (!String(data).includes("hangs")) await once(child.stderr!, "data").then(wait);
  });
  child.kill("SIGINT");

  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/the turn was cancelled; every call it made is answered/);
  const shown = await run(["sessions", "show", "s1"]);
  expect(shown.stdout.match(/"cancelled":true/g)).toHaveLength(2);
});

test("a plan's own agent asks its server, with its key, and the text comes as it is made", async () => {
  const keys: unknown[] = [];
  const server = createServer(async (request, answer) => {
    await json(request);
    keys.push(request.headers.authorization);
    answer.writeHead(200, { "content-type": "text/event-stream" });
    const output = [say("one two")];
    const events = [
      { type: "response.output_text.delta", output_index: 0, delta: "one " },
      { type: "response.output_text.delta", output_index: 0, delta: "two" },
      { type: "response.completed", response: { id: "r", status: "completed", output } },
    ];
    answer.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { here: run } = await workspace({
    "mount-plan.yaml": `version: 1\nagent: { model: m, baseUrl: "${url}", apiKey: "\${KEY}" }\n`,
  });
  const said = await run(["run", "hello"], { env: { KEY: "k-123" } });
  expect(said.stdout).toBe("one two\n");
  const talked = await run(["chat"], { env: { KEY: "k-123" }, input: "hello\n\nagain\n" });
  expect(talked.code, talked.stderr).toBe(0);
  expect(talked.stdout).toBe("one two\none two\n");
  expect(keys).toEqual(["Bearer k-123", "Bearer k-123", "Bearer k-123"]);
});

test("a missing model, record or session is reported", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": "version: 1\n", "bad.json": "{" });

  const none = await run(["run", "hello"]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--model")]);
  const gone = await run(["run", "--model", "replay:gone.json", "hello"]);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("REPLAY_INVALID")]);
  const bad = await run(["run", "--model", "replay:bad.json", "hello"]);
  expect(bad.stderr).toContain("bad.json cannot be replayed: it is not JSON");
  const session = await run(["sessions", "show", "none"]);
  expect([session.code, session.stderr]).toEqual([1, expect.stringContaining("SESSION_NOT_FOUND")]);
});

test("an error of the model's server is shown once, with the server and where its key comes from", async () => {
  const server = createServer((_request, answer) => {
    answer.writeHead(401, { "content-type": "application/json" });
    answer.end(JSON.stringify({ error: { code: "invalid_api_key", message: "Incorrect API key provided" } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./echo.ts"), "echo.ts": echo });
  const { code, stderr } = await run(["run", "--model", "m", "--base-url", `http://${address}/v1`, "hello"]);

  expect(code).toBe(1);
  expect(stderr.match(/Incorrect API key provided/g)).toHaveLength(1);
  expect(stderr).toContain(`PROVIDER_FAILED ${address} refused the key (authentication): Incorrect API key`);
  expect(stderr).toContain("environment variable OPENAI_API_KEY");
});
