import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { silentLogger, systemClock } from "@toolmount/core";
import { expect, test } from "vitest";
import { startProtectedServer } from "./support/authorization-server.ts";
import { connectCommand, linkPackages, run } from "./support/command.ts";
import { listenTo } from "./support/http.ts";
import { signInByFetch } from "./support/sign-in.ts";
import { folderOf, open, serverOf, until } from "./support/world.ts";

/** A program that starts the server of the tests once a file is there: `slow` waits for it, `dead` ends without it. */
const gate = `
import { appendFileSync, existsSync } from "node:fs";
const [fixture, how, file] = process.argv.slice(2);
appendFileSync(file + ".starts", "x");
if (how === "dead" && !existsSync(file)) process.exit(3);
while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10));
process.argv = [process.argv[0], fixture];
await import(fixture);
`;

const { command, args } = serverOf();
const fixture = args.at(-1) ?? "";

const gated = (how: "slow" | "dead") => ({
  command,
  args: [...args.slice(0, -1), "gate.mjs", fixture, how, "there"],
});

const entry = (module: string, mcp: object) => ({
  module,
  prefix: `${module}_`,
  required: false,
  source: { mcp },
});

/** A folder with a plan of these entries, in which the command can run. */
async function folderWith(tools: readonly object[]): Promise<string> {
  const plan = JSON.stringify({ version: 1, tools });
  const folder = await folderOf({ "gate.mjs": gate, "plan.yaml": plan });
  await linkPackages(folder);
  return folder;
}

/** A client before `toolmount serve --stdio`, and how often it was notified of another list. */
async function clientOf(cwd: string): Promise<{ client: Client; notified: () => number }> {
  let count = 0;
  const onChanged = () => void count++;
  const client = await connectCommand(
    ["plan.yaml"],
    { cwd },
    { versionNegotiation: { mode: "auto" }, listChanged: { tools: { autoRefresh: false, onChanged } } },
  );
  return { client, notified: () => count };
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

test.each(["slow", "dead"] as const)(
  "a client is answered while an optional server is %s, and is notified when its tools are there",
  async (how) => {
    const folder = await folderWith([entry("fast", serverOf()), entry("late", gated(how))]);
    const { client, notified } = await clientOf(folder);

    await until(async () => (await namesOf(client)).includes("fast_echo"));
    const before = await namesOf(client);
    const seen = notified();
    await writeFile(join(folder, "there"), "");
    await until(() => notified() > seen);
    await until(async () => (await namesOf(client)).includes("late_echo"));

    expect(before).not.toContain("late_echo");
    const echo = await client.callTool({ name: "late_echo", arguments: { text: "hi" } });
    expect(echo.content).toEqual([{ type: "text", text: "echo: hi" }]);
  },
);

test("a client that lists once sees the tools of every server that starts within moments", async () => {
  const folder = await folderWith([entry("a", serverOf()), entry("b", serverOf())]);
  const { client } = await clientOf(folder);

  expect(await namesOf(client)).toEqual(expect.arrayContaining(["a_echo", "b_echo"]));
});

test("lock accepts the servers that answer, and says which one was left out; what it has of that one stays", async () => {
  const folder = await folderWith([entry("fast", serverOf()), entry("late", gated("dead"))]);
  const lock = async (...words: string[]) => {
    const { code, stdout } = await run(["lock", "plan.yaml", ...words], { cwd: folder });
    const text = await readFile(join(folder, "plan.lock.json"), "utf8");
    return { code, stdout, tools: Object.keys((JSON.parse(text) as { tools: object }).tools) };
  };

  const partial = await lock();
  await writeFile(join(folder, "there"), "");
  const whole = await lock("--accept");
  await writeFile(join(folder, "gate.mjs"), "process.exit(3)");
  const kept = await lock("--accept");

  expect(partial).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/left out: late; .*it ended with code 3/),
  });
  expect(partial.tools).not.toContain("late_echo");
  expect(partial.tools).toContain("fast_echo");
  expect(whole.tools).toContain("late_echo");
  expect(kept).toMatchObject({
    code: 1,
    tools: whole.tools,
    stdout: expect.stringContaining("left out: late"),
  });
});

test("with a lock, a server that is away is listed, and its calls run once it is there", async () => {
  const folder = await folderWith([entry("late", gated("dead"))]);
  await writeFile(join(folder, "there"), "");
  expect((await run(["lock", "plan.yaml"], { cwd: folder })).code).toBe(0);
  await rm(join(folder, "there"));
  const { client } = await clientOf(folder);
  const echo = () => client.callTool({ name: "late_echo", arguments: { text: "hi" } });

  expect(await namesOf(client)).toContain("late_echo");
  expect(await echo()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("cannot be reached") }],
  });
  await writeFile(join(folder, "there"), "");
  expect((await echo()).content).toEqual([{ type: "text", text: "echo: hi" }]);
});

test("a list of servers with one that is away becomes a gateway to the others", async () => {
  const folder = await folderWith([]);
  const list = {
    mcpServers: { Fast: serverOf(), Away: { url: "http://127.0.0.1:9/mcp" }, Late: gated("dead") },
  };
  await writeFile(join(folder, "list.json"), JSON.stringify(list));
  const imported = await run(["import", "list.json", "plan.yaml"], { cwd: folder });
  const locked = await run(["lock", "plan.yaml"], { cwd: folder });
  const { client } = await clientOf(folder);

  expect(imported, imported.stderr).toMatchObject({ code: 0 });
  expect(locked).toMatchObject({ code: 1, stdout: expect.stringMatching(/left out: Away.*left out: Late/s) });
  expect(await namesOf(client)).toContain("fast_echo");
});

test("a person signs in while the host serves, and the tools arrive; until then the server is left alone", async () => {
  const { url, requests } = await startProtectedServer();
  const folder = await folderWith([entry("protected", { url })]);
  const { client, notified } = await clientOf(folder);

  expect(await namesOf(client)).toEqual([]);
  const before = requests();
  await signInByFetch({ url, name: "protected" }, { folder });
  await until(() => notified() > 0);

  expect(before).toBeLessThan(4);
  expect(await namesOf(client)).toEqual(["protected_greet", "protected_who_am_i"]);
});

test("a server that refuses the credentials of the plan is asked with growing delays", async () => {
  const refused: number[] = [];
  const url = await listenTo(() => {
    refused.push(Date.now());
    return new Response("", { status: 401 });
  });
  const away = entry("away", { url, headers: { authorization: "Bearer old" }, era: "legacy" });
  const host = await open({ version: 1, tools: [away] }, { logger: silentLogger });
  const [status] = host.status().entries.filter(({ id }) => id === "away");
  await until(() => refused.length >= 3);
  const [first = 0, , third = 0] = refused;

  expect(status).toMatchObject({
    state: "failed",
    problems: [{ message: expect.stringContaining("refuses the authorization header") }],
  });
  expect(third - first).toBeGreaterThanOrEqual(250 + 500);
});

test("a server may take longer to start than other modules to mount", async () => {
  const folder = await folderWith([]);
  const limit = 123_456;
  // Every wait of just the general limit is over at once.
  const clock = {
    ...systemClock,
    setTimer: (callback: () => void, ms: number) => systemClock.setTimer(callback, ms === limit ? 0 : ms),
  };
  const slow = { ...entry("slow", { ...gated("slow"), startTimeoutMs: limit + 1 }), required: true };
  const opening = open({ version: 1, tools: [slow] }, { clock, cwd: folder, startTimeoutMs: limit });
  await until(async () => (await readFile(join(folder, "there.starts"), "utf8").catch(() => "")) !== "");
  await writeFile(join(folder, "there"), "");

  expect((await (await opening).call({ name: "slow_echo", arguments: { text: "hi" } })).status).toBe("ok");
});
