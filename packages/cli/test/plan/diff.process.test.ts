import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startServer, writeTokens } from "../support/served.ts";
import { oneTool, workspace } from "../support/workspace.ts";

const greet = oneTool({ name: "greet", schema: "name: z.string()", body: "return data(params.name);" });
const later = greet.replace("z.string()", "z.string().max(10)");
const wave = oneTool({ name: "wave", body: "return data(1);" });

const files = {
  "greet.ts": greet,
  "later.ts": later,
  "wave.ts": wave,
  "before.yaml": `version: 1
tools:
  - module: greet
    source: ./greet.ts
  - module: hello-world
`,
  "after.yaml": `version: 1
tools:
  - module: wave
    source: ./wave.ts
  - module: greet
    source: ./later.ts
    limits: { timeout: 500 }
  - module: hello-world
policy:
  ask: ["agent_*"]
`,
};

const text = (schema: object) => ({ path: "inputSchema.properties.name.maxLength", ...schema });

test("two plans: tools with their values, who is asked, and the values of the plan, by the module of their entry", async () => {
  const { here } = await workspace(files);
  const { code, json } = await here(["diff", "before.yaml", "after.yaml", "--json"]);

  expect(code).toBe(1);
  expect(json()).toMatchObject({
    tools: [
      {
        tool: "greet",
        change: "changed",
        differences: expect.arrayContaining([text({ now: 10 })]) as object[],
      },
      { tool: "wave", change: "added" },
    ],
    calls: [{ tool: "agent_hello_world", before: "runs", now: "asks" }],
    values: [
      { path: "tools.greet.source", before: "./greet.ts", now: "./later.ts" },
      { path: "tools.greet.limits", now: { timeout: 500 } },
      { path: "tools.wave", now: { module: "wave", source: "./wave.ts" } },
      { path: "policy", now: { ask: ["agent_*"] } },
    ],
  });
});

test("for people, and as a comment for a pull request; a plan and itself have no difference", async () => {
  const { here } = await workspace(files);
  const people = await here(["diff", "before.yaml", "after.yaml"]);
  const comment = await here(["diff", "before.yaml", "after.yaml", "--format", "markdown"]);
  const same = await here(["diff", "after.yaml", "after.yaml"]);

  expect(people.stdout).toContain("agent_hello_world  runs → asks");
  expect(people.stdout).toContain(
    "⚠ from before.yaml to after.yaml: 2 tools, 1 tool that asks otherwise, 4 values of the plan",
  );
  expect(comment.stdout).toContain("| `wave` | added |  |");
  expect(comment.stdout).toContain("| `agent_hello_world` | runs | asks |");
  expect(comment.stdout).toContain('| `tools.greet.limits` | – | `{"timeout":500}` |');
  expect([same.code, same.stdout]).toEqual([0, "✔ from after.yaml to after.yaml: no difference\n"]);
});

test("a plan and what a server runs now", async () => {
  const world = await workspace(files);
  const tokens = await writeTokens();
  const server = await startServer(world, tokens, ["before.yaml"]);
  const env = { TOOLMOUNT_TOKEN: tokens.ops };
  const same = await world.here(["diff", server.url, "before.yaml"], { env });
  const changed = await world.here(["diff", server.url, "after.yaml", "--json"], { env });

  expect([same.code, same.stdout]).toEqual([0, `✔ from ${server.url} to before.yaml: no difference\n`]);
  expect(changed.json()).toMatchObject({
    before: server.url,
    tools: [{ tool: "greet" }, { tool: "wave", change: "added" }],
    calls: [{ tool: "agent_hello_world", before: "runs", now: "asks" }],
  });
  const refused = await world.here(["diff", server.url, "after.yaml"]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("set TOOLMOUNT_TOKEN") as string,
  ]);
});

test.each([
  [["diff", "before.yaml"], "missing required argument 'now'"],
  [["diff", "http://127.0.0.1:1", "before.yaml"], "cannot be compared"],
  [["diff", "before.yaml", "http://127.0.0.1:1"], "cannot be compared"],
])("%j is refused", async (words, problem) => {
  const { here } = await workspace(files);
  const { code, stderr } = await here(words);

  expect([code, stderr]).toEqual([2, expect.stringContaining(problem) as string]);
});

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const tool = { name: "greet", description: "x", inputSchema: {}, requiresConfirmation: false };
const offered = JSON.stringify({ tools: [tool], available: [] });

test.each([
  ["no JSON", { tools: "<html>" }, "not JSON"],
  ["nothing of what is asked", { tools: "{}" }, "tools"],
  ["tools without names", { tools: '{"tools":[{}],"available":[]}' }, "tools"],
  ["no plan", { tools: offered, plan: '{"value":[]}' }, "value"],
  ["no answers", { tools: offered, plan: '{"value":{}}', why: '{"tools":[{"name":"greet"}]}' }, "tools"],
  ["a value that is too deep", { tools: `{"tools":${deep},"available":[]}` }, "deeper than"],
  ["more than it may", { tools: `"${"x".repeat(17_000_000)}"`, plan: '{"value":{}}' }, "larger than"],
])("a server that answers with %s cannot be compared", async (_title, answers, problem) => {
  const { here } = await workspace(files);
  const server = createServer((request, response) => {
    const name = request.url?.split("/").at(-1) ?? "";
    response.end((answers as Readonly<Record<string, string>>)[name] ?? "{}");
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await here(["diff", `http://127.0.0.1:${port}`, "before.yaml"]);

  expect(code).toBe(2);
  expect(stderr).toContain("cannot be compared");
  expect(stderr).toContain(problem);
});
