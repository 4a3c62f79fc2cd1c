import { expect, test, vi } from "vitest";
import { operatorFolder } from "../support/operator-world.ts";
import { readEvents, startServer } from "../support/served.ts";

const prompt = "Set the version to 2.0.0 and deploy it.";

type Server = Awaited<ReturnType<typeof startServer>>;

/** Reads the events of a turn until one of them fits. */
async function until(
  { url }: Server,
  token: string,
  id: string,
  fits: (event: { event: string; data: Record<string, unknown> }) => boolean,
  lastId?: string,
) {
  const seen: { event: string; id: string; data: Record<string, unknown> }[] = [];
  const response = await fetch(`${url}/api/v1/hosts/default/turns/${id}/events`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastId !== undefined && { "last-event-id": lastId }),
    },
  });
  expect(response.status).toBe(200);
  for await (const event of readEvents(response)) {
    seen.push(event);
    if (fits(event)) break;
  }
  return seen;
}

const hasStatus =
  (status: string) =>
  ({ event, data }: { event: string; data: Record<string, unknown> }) =>
    event === "turn" && data["status"] === status;

/** Answers the question of a tool, when it is asked. */
async function decide(server: Server, tool: string, decision = "approve"): Promise<void> {
  const { waiting } = (await server.ask("GET", "/approvals")).body as {
    waiting: { id: string; tool: string }[];
  };
  const { id } = waiting.find((one) => one.tool === tool)!;
  expect((await server.ask("POST", `/approvals/${id}/decision`, { decision })).status).toBe(200);
}

test("a turn is started at once, runs without a watcher, and resumes by itself when each question is answered", async () => {
  const desk = await operatorFolder();
  const { tokens, read } = desk;
  const server = await startServer(desk, tokens);

  const { status, body } = await server.ask("POST", "/turns", { prompt, sessionId: "s" }, { as: tokens.ana });
  const id = String(body["id"]);
  expect([status, body["sessionId"], body["status"]]).toEqual([202, "ana:s", "running"]);

  const first = await until(server, tokens.ana, id, hasStatus("waiting"));
  await decide(server, "edit_file");
  const waitsForDeploy = ({ event, data }: { event: string; data: Record<string, unknown> }) =>
    hasStatus("waiting")({ event, data }) && JSON.stringify(data["waiting"]).includes("deploy");
  const second = await until(server, tokens.ana, id, waitsForDeploy, first.at(-1)!.id);
  expect(second.map(({ data }) => data["status"]).filter((one) => one !== undefined)).toContain("decided");
  expect(second.some(({ id: seen }) => first.some((event) => event.id === seen && seen !== ""))).toBe(false);
  expect(await read("notes.md")).toContain("2.0.0");
  await decide(server, "deploy");
  const last = await until(server, tokens.ana, id, hasStatus("done"), second.at(-1)!.id);

  expect(last.at(-1)!.data["result"]).toMatchObject({
    status: "done",
    calls: 3,
    text: "The version is 2.0.0, and it is deployed.",
  });
  const listed = (await server.ask("GET", "/turns?status=done", undefined, { as: tokens.ana })).body;
  expect(listed).toMatchObject({ turns: [{ id, status: "done", by: "ana", userId: "ana" }], next: null });
});

test("a turn that waits survives a kill of the server: it is answered while no server runs, and the next one resumes it", async () => {
  const desk = await operatorFolder();
  const { tokens } = desk;
  const first = await startServer(desk, tokens);
  const id = String((await first.ask("POST", "/turns", { prompt, sessionId: "s" })).body["id"]);
  await until(first, tokens.ops, id, hasStatus("waiting"));
  first.child.kill("SIGKILL");
  await first.ended;
  const { stdout } = await desk.run(["approvals", "list", "--json"]);
  const { waiting } = JSON.parse(stdout) as { waiting: { id: string }[] };
  const question = waiting[0]!.id;
  expect((await desk.run(["approvals", "approve", question])).code).toBe(0);

  const second = await startServer(desk, tokens);
  await until(second, tokens.ops, id, (event) =>
    JSON.stringify(event.data["waiting"] ?? "").includes("deploy"),
  );
  await decide(second, "deploy");
  await until(second, tokens.ops, id, hasStatus("done"));
});

test("a turn that a server leaves when it ends is resumed by the next one; an explicit cancel ends it", async () => {
  const desk = await operatorFolder();
  const { tokens } = desk;
  const first = await startServer(desk, tokens, ["--grace", "1"]);
  const one = String((await first.ask("POST", "/turns", { prompt, sessionId: "s" })).body["id"]);
  first.child.kill("SIGTERM");
  expect((await first.ended).code).toBe(0);

  const second = await startServer(desk, tokens);
  await until(second, tokens.ops, one, hasStatus("waiting"));
  const cancelled = await second.ask("POST", `/turns/${one}/cancel`);
  expect(cancelled.body).toMatchObject({ status: "cancelled" });
  expect((await second.ask("GET", "/approvals")).body).toMatchObject({ waiting: [] });
  expect((await second.ask("GET", "/sessions/s")).body).toMatchObject({ status: "cancelled" });
  const again = await second.ask("POST", `/turns/${one}/cancel`);
  expect(again.body).toMatchObject({ status: "cancelled" });
});

test("of two servers with one store, exactly one resumes each turn, and each call runs once", async () => {
  const desk = await operatorFolder();
  const { tokens, read } = desk;
  const one = await startServer(desk, tokens);
  const other = await startServer(desk, tokens);
  const ids: string[] = [];
  for (const at of [1, 2, 3])
    ids.push(String((await one.ask("POST", "/turns", { prompt, sessionId: `s${at}` })).body["id"]));
  for (const id of ids) await until(one, tokens.ops, id, hasStatus("waiting"));
  const denyAll = async (server: Server) => {
    const { waiting } = (await server.ask("GET", "/approvals")).body as { waiting: { id: string }[] };
    for (const { id } of waiting) await server.ask("POST", `/approvals/${id}/decision`, { decision: "deny" });
  };
  await denyAll(other);
  for (const id of ids)
    await until(one, tokens.ops, id, ({ data }) => JSON.stringify(data["waiting"] ?? "").includes("deploy"));
  await denyAll(one);
  for (const id of ids) {
    const events = await until(other, tokens.ops, id, hasStatus("done"));
    expect(events.at(-1)!.data["result"]).toMatchObject({ calls: 3 });
  }
  expect(await read("notes.md")).toContain("1.9.0");
});

test("a call that was decided and that is not resumed is not running", async () => {
  const desk = await operatorFolder();
  const { tokens } = desk;
  const server = await startServer(desk, tokens);
  const call = { tool: "deploy", arguments: { target: "staging" }, sessionId: "c" };
  const pending = await server.ask("POST", "/calls", call);
  expect(pending.body).toMatchObject({ status: "pending" });
  await decide(server, "deploy", "deny");

  const { calls } = (await server.ask("GET", "/calls")).body as { calls: { status: string }[] };
  expect(calls.map(({ status }) => status)).toEqual(["decided"]);
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${tokens.ops}` },
  });
  expect(await metrics.text()).toContain('toolmount_calls_running{host="default"} 0');
});

const itemsOf = async (server: Server, sessionId: string) => {
  const { items } = (await server.ask("GET", `/sessions/${sessionId}`)).body as {
    items: { role?: string; content?: unknown }[];
  };
  return items.filter(({ role }) => role !== undefined).map(({ role, content }) => [role, content] as const);
};

test("a message to a turn that waits, sent at another server, is read when its question is answered", async () => {
  const desk = await operatorFolder();
  const { tokens } = desk;
  const one = await startServer(desk, tokens);
  const other = await startServer(desk, tokens);
  const started = await one.ask("POST", "/turns", { prompt, sessionId: "s" });
  const id = String(started.body["id"]);
  await until(one, tokens.ops, id, hasStatus("waiting"));
  const add = (server: Server, text: string, as = tokens.ops) =>
    server.ask("POST", `/turns/${id}/messages`, { text }, { as });
  expect((await add(other, "Do not deploy it.", tokens.ana)).status).toBe(404); // a user whose turn it is not
  expect((await add(other, "Do not deploy it.")).status).toBe(200);
  expect((await add(one, "")).status).toBe(400);
  await decide(one, "edit_file");
  const events = await until(other, tokens.ops, id, hasStatus("done"));

  const text = "There is no script for: Do not deploy it."; // what the model answers to the newest message
  expect(events.at(-1)!.data["result"]).toMatchObject({ status: "done", text });
  expect((await itemsOf(one, "s")).map(([role]) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(await add(one, "Too late.")).toMatchObject({ status: 409, body: { code: "SESSION_CONFLICT" } });
});

test("a message for a turn that runs at another server is read by it, or by the next turn of its session", async () => {
  const desk = await operatorFolder();
  const { tokens, write } = desk;
  await write(
    "deploy.ts",
    `import { existsSync } from "node:fs";
import { watch } from "node:fs/promises";
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
const deploy = defineTool({
  name: "read_slowly",
  description: "Waits. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  timeout: 0,
  async execute() {
    const events = watch(".");
    while (!existsSync("begin")) await events[Symbol.asyncIterator]().next();
    return data("waited");
  },
});
export const mount = (coordinator) => void coordinator.mount("tools", deploy);
`,
  );
  const one = await startServer(desk, tokens);
  const other = await startServer(desk, tokens);
  const started = await one.ask("POST", "/turns", { prompt: "Wait.", sessionId: "s" });
  const id = String(started.body["id"]);
  await until(one, tokens.ops, id, ({ data }) => data["type"] === "tool_call");
  expect((await other.ask("POST", `/turns/${id}/messages`, { text: "And now?" })).status).toBe(200);
  await write("begin", "");
  await until(one, tokens.ops, id, hasStatus("done"));

  const answered = ["assistant", "There is no script for: And now?"];
  await vi.waitFor(
    async () => {
      const items = await itemsOf(one, "s");
      expect(items.map(([role, content]) => [role, textIn(content)])).toContainEqual(answered);
    },
    { timeout: 60_000 },
  );
});

function textIn(content: unknown): unknown {
  return Array.isArray(content) ? (content as { text?: string }[]).map(({ text }) => text).join("") : content;
}
