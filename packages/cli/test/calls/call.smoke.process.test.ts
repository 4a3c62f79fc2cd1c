import { createInterface } from "node:readline";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oneTool, planOf, removingTool, root, runCommand, workspace } from "../support/workspace.ts";

const greet = oneTool({
  name: "greet",
  schema: "name: z.string()",
  body: "return data({ text: `Hello, ${params.name}!` });",
});
const remove = removingTool();

test("a tool of this repository's own plan is called, and its outcome printed as JSON", async () => {
  const call = [
    "call",
    "mount-plans/coding.yaml",
    "read_file",
    '{"file_path":"AGENTS.md","limit":2}',
    "--json",
  ];
  const { code, stderr, json } = await runCommand(call);

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(json()).toMatchObject({
    tool: "read_file",
    status: "ok",
    result: {
      tool: "read_file",
      data: { lines_read: 2, content: expect.stringContaining("For agents working here") },
    },
  });
});

test("a plan's paths start at the plan, wherever the command runs", async () => {
  const { folder } = await workspace({});
  const plan = join(root, "mount-plans/coding.yaml");
  const { code } = await runCommand(["call", plan, "read_file", '{"file_path":"AGENTS.md"}'], {
    cwd: folder,
  });

  expect(code).toBe(0);
});

test("the plan may be left out: the nearest one from the working folder upward is taken", async () => {
  const { folder, here: run } = await workspace({
    "mount-plan.yaml": planOf("./greet.ts"),
    "greet.ts": greet,
    "deep/er/x": "",
  });
  const { code, stdout } = await run(["call", "greet", '{"name":"Ada"}'], { cwd: join(folder, "deep/er") });

  expect(code).toBe(0);
  expect(stdout).toMatch(/^✔ ok greet \d+ ms\ntext: Hello, Ada!\n$/);
});

test("the arguments may come from standard input", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./greet.ts"), "greet.ts": greet });
  const { json } = await run(["call", "greet", "-", "--json"], { input: '{"name":"Ada"}' });

  expect(json()).toMatchObject({ status: "ok", result: { data: { text: "Hello, Ada!" } } });
});

test("the tool and the outcome name the caller", async () => {
  const body = "return data({ session: context.sessionId, user: context.userId, mode: context.mode });";
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./who.ts"),
    "who.ts": oneTool({ name: "who", body }),
  });
  const { json } = await run([
    "call",
    "who",
    "--session",
    "s-1",
    "--user",
    "ada",
    "--mode",
    "general",
    "--json",
  ]);

  expect(json()).toMatchObject({
    sessionId: "s-1",
    userId: "ada",
    result: { data: { session: "s-1", user: "ada", mode: "general" } },
  });
});

test.each([
  { title: "an unknown tool", words: ["gret", "{}"], status: "not_found", said: 'did you mean "greet"?' },
  {
    title: "arguments that do not fit",
    words: ["greet", '{"nam":1}'],
    status: "invalid",
    said: "INVALID_ARGUMENTS",
  },
])("$title end with 1 and say what is wrong", async ({ words, status, said }) => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./greet.ts"), "greet.ts": greet });
  const { code, stdout } = await run(["call", ...words]);

  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`^✖ ${status} `));
  expect(stdout).toContain(said);
});

test("FORGE-18: without a terminal a tool that needs confirmation waits, and the command ends with 3", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./remove.ts"), "remove.ts": remove });
  const { code, json } = await run(["call", "remove", '{"path":"a"}', "--json"]);

  expect(code).toBe(3);
  expect(json()).toMatchObject({
    status: "pending",
    ticket: expect.any(String),
    result: { code: "PENDING" },
  });
});

test("--approve approves the one call that it stands beside", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./remove.ts"), "remove.ts": remove });
  const { code, json } = await run(["call", "remove", '{"path":"a"}', "--approve", "--json"]);

  expect(code).toBe(0);
  expect(json()).toMatchObject({ status: "ok", result: { data: { gone: "a" } } });
});

const waiting = oneTool({
  name: "wait",
  body: `
    console.error("the tool runs");
    await new Promise((resolve) => context.abortSignal.addEventListener("abort", resolve, { once: true }));
    throw new Error("stopped");
  `,
});

test.each([
  { signal: "SIGINT", exit: 130 },
  { signal: "SIGTERM", exit: 143 },
] as const)("$signal aborts the call, prints its outcome, and ends with $exit", async ({ signal, exit }) => {
  const { start } = await workspace({ "mount-plan.yaml": planOf("./wait.ts"), "wait.ts": waiting });
  const { child, ended } = start(["call", "wait", "--json"]);
  for await (const line of createInterface({ input: child.stderr! })) if (line === "the tool runs") break;
  child.kill(signal);
  const { code, json } = await ended;

  expect(code).toBe(exit);
  expect(json()).toMatchObject({
    status: "cancelled",
    result: { code: "CANCELLED", error: "Request was cancelled" },
  });
});

test("a tool that ignores its signal does not keep the command alive", async () => {
  const body =
    'console.error("the tool runs"); await new Promise(() => setInterval(() => {}, 1000)); return data(null);';
  const deaf = oneTool({ name: "deaf", body });
  const { start } = await workspace({ "mount-plan.yaml": planOf("./deaf.ts"), "deaf.ts": deaf });
  const { child, ended } = start(["call", "deaf", "--json"]);
  for await (const line of createInterface({ input: child.stderr! })) if (line === "the tool runs") break;
  child.kill("SIGINT");

  expect((await ended).json()).toMatchObject({ status: "cancelled" });
});

test("--timeout gives up", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./wait.ts"), "wait.ts": waiting });
  const { code, json } = await run(["call", "wait", "--timeout", "1", "--json"]);

  expect(code).toBe(1);
  expect(json()).toMatchObject({ status: "cancelled" });
});

test("what a tool answers cannot act on the terminal", async () => {
  const body =
    'return data({ "k\\u001b[2Jey": "a\\u001b]0;title\\u0007b\\u202ec", lines: "one\\ntwo\\u009b31m" });';
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./evil.ts"),
    "evil.ts": oneTool({ name: "evil", body }),
  });
  const asText = await run(["call", "evil"], { env: { FORCE_COLOR: "0" } });
  const asJson = await run(["call", "evil", "--json"]);

  expect(asText.stdout + asJson.stdout).not.toMatch(/[^\n\P{C}]/u);
  expect(asText.stdout).toContain("lines:\n  one\n  two\\u009b31m");
  expect(asJson.json()).toMatchObject({ result: { data: { lines: "one\ntwo\u009b31m" } } });
});

test("what a module or a tool logs goes to stderr; stdout is the outcome alone", async () => {
  const body = 'context.logger.warn({}, "half of it is missing"); return data(1);';
  const { run } = await workspace({
    "mount-plan.yaml": planOf("./log.ts"),
    "log.ts": oneTool({ name: "log", body }),
  });
  const { stdout, stderr, json } = await run(["call", "log", "--json"]);

  expect(json()).toMatchObject({ status: "ok" });
  expect(stdout).not.toContain("half of it");
  expect(stderr).toBe("warning: half of it is missing\n");
});

test("a plan that is invalid ends with 78, and nothing is called", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./gone.ts") });
  const people = await run(["call", "greet", "{}"]);
  const programs = await run(["call", "greet", "{}", "--json"]);

  expect([people.code, programs.code]).toEqual([78, 78]);
  expect(people.stderr).toContain("SOURCE_NOT_FOUND mount-plan.yaml:3:13");
  expect(programs.json()).toMatchObject({
    error: { code: "PLAN_INVALID", problems: [{ code: "SOURCE_NOT_FOUND", line: 3 }] },
  });
});

test.each([
  { title: "no tool", words: ["call"] },
  { title: "a plan and no tool", words: ["call", "./mount-plan.yaml"] },
  { title: "too many words", words: ["call", "a.yaml", "b", "{}", "c"] },
  { title: "an invalid timeout", words: ["call", "greet", "--timeout", "soon"] },
  { title: "an unknown option", words: ["call", "greet", "--aprove"] },
])("$title is wrong usage, and ends with 2", async ({ words }) => {
  const { here: run } = await workspace({});
  const people = await run(words);
  const programs = await run([...words, "--json"]);

  expect([people.code, programs.code]).toEqual([2, 2]);
  expect(people.stderr).toMatch(/^USAGE_INVALID .+\n$/);
  expect(programs.json()).toMatchObject({ error: { code: "USAGE_INVALID" } });
});
