// What a runtime does with plans, and with what needs files, SQLite, processes and sockets: each alone.
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openHost } from "@toolmount/loader";
import { equal } from "./checks.mjs";

// Beside this file, so that the packages are found as in any program's folder.
const here = fileURLToPath(new URL(".", import.meta.url));
const temporary = () => mkdtemp(join(here, "plan-"));

async function withPlan(text, use, files = {}) {
  const folder = await temporary();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await writeFile(join(folder, "plan.yaml"), text);
  const host = await openHost(join(folder, "plan.yaml"), { env: {} });
  try {
    return await use(host, folder);
  } finally {
    await host.close();
  }
}

const ok = async (host, name, given, context) => {
  const { status, result } = await host.call({ name, arguments: given }, context);
  if (status !== "ok") throw new Error(`${name} ended as ${status}: ${result.error}`);
  return result.data;
};

export const checks = {
  async "a plan of tools without files, with a policy"() {
    const plan = `version: 1
tools:
  - module: hello-world
  - module: todo
policy:
  rules:
    - { match: { tool: todo }, answer: deny, reason: not today }
`;
    await withPlan(plan, async (host) => {
      equal(host.tools().length > 1, true);
      await ok(host, "agent_hello_world", { name: "Ada" });
      const { status } = await host.call({ name: "todo", arguments: { action: "list" } }, { sessionId: "s" });
      equal(status, "denied");
    });
  },
  async "a wrong plan, with its line"() {
    const error = await withPlan("version: 1\ntools:\n  - modul: x\n", () => null).catch((caught) => caught);
    equal(error.code, "PLAN_INVALID");
  },
  async "a module beside the plan, and a reload"() {
    const tool = (text) => `
      import { data, defineTool } from "@toolmount/core";
      import { z } from "zod";
      export const say = defineTool({
        name: "say", description: "Says. Use it in tests.", schema: z.strictObject({}), category: "read",
        consequenceLevel: "low", requiresConfirmation: false, execute: () => data("${text}"),
      });`;
    const plan = "version: 1\ntools:\n  - module: ./say.mjs\n";
    await withPlan(
      plan,
      async (host, folder) => {
        equal(await ok(host, "say", {}), "one");
        await writeFile(join(folder, "say.mjs"), tool("two"));
        await host.reload();
        equal(await ok(host, "say", {}), "two");
      },
      { "say.mjs": tool("one") },
    );
  },
  async "files: read, write, edit, delete"() {
    const plan = "version: 1\ntools:\n  - module: filesystem\n    config: { working_dir: . }\n";
    await withPlan(plan, async (host, folder) => {
      const context = { sessionId: "s" };
      await ok(host, "write_file", { file_path: "a.txt", content: "one" }, context);
      await ok(host, "edit_file", { file_path: "a.txt", old_string: "one", new_string: "two" }, context);
      equal(await readFile(join(folder, "a.txt"), "utf8"), "two");
      equal(
        (await host.call({ name: "read_file", arguments: { file_path: "../run.mjs" } })).status !== "ok",
        true,
      );
      await host.session("s").undo();
    });
  },
  async "state in SQLite, over a restart"() {
    const folder = await mkdtemp(join(tmpdir(), "toolmount-runtime-"));
    const plan = `version: 1\ntools:\n  - module: todo\nstate: sqlite:${folder}/state.db\n`;
    const context = { sessionId: "s" };
    await withPlan(plan, (host) =>
      ok(
        host,
        "todo",
        { action: "create", todos: [{ content: "Write", activeForm: "Writing", status: "pending" }] },
        context,
      ),
    );
    await withPlan(plan, async (host) => {
      equal(JSON.stringify(await ok(host, "todo", { action: "list" }, context)).includes("Write"), true);
    });
  },
  async "a tool in a process of its own"() {
    const plan = "version: 1\ntools:\n  - module: hello-world\n    run: { in: process }\n";
    await withPlan(plan, (host) => ok(host, "agent_hello_world", { name: "Ada" }));
  },
  async "an MCP server over stdio"() {
    const server = join(here, "server.mjs");
    const source = `{ mcp: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}] } }`;
    const words =
      process.versions.deno === undefined ? source : source.replace("args: [", 'args: ["run", "-A", ');
    await withPlan(`version: 1\ntools:\n  - module: peek\n    source: ${words}\n`, async (host) => {
      equal(await ok(host, "ping", {}), "pong");
    });
  },
  async "the server over HTTP"() {
    const { createHost } = await import("@toolmount/core");
    const { createTokenCheck, createToken, hashToken, serveHosts } = await import("@toolmount/http");
    const token = createToken();
    const own = { name: "ops", sha256: hashToken(token), roles: ["call", "view"] };
    const server = await serveHosts({
      hosts: { default: { host: createHost() } },
      authenticate: createTokenCheck([own]),
      listen: { host: "127.0.0.1", port: 0 },
    });
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${server.url}/api/v1/hosts/default/tools`, { headers });
    equal(answer.status, 200);
    equal((await answer.json()).tools, []);
    await server.close({ graceMs: 0 });
  },
};
