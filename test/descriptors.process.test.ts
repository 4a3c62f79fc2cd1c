import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createWorkspace } from "@toolmount/testing";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const tool = (name: string) => JSON.stringify(join(root, "tools", name, "src/index.ts"));

/** A server that starts a process for each call. */
const server = `
process.stdin.setEncoding("utf8").on("data", (lines) => {
  for (const line of lines.trim().split("\\n")) {
    const { id, method, params } = JSON.parse(line);
    const result = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
      "tools/list": { tools: [{ name: "hi", description: "Says hi. Use in tests.", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "hi" }] },
    }[method];
    const answer = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  }
});
`;

const module = (name: string) => `
export const mount = (coordinator) => coordinator.mount("tools", {
  name: "${name}", description: "Adds. Use in tests.", inputSchema: { type: "object" },
  category: "read", consequenceLevel: "low", requiresConfirmation: false,
  execute: () => ({ data: 3 }),
});
`;

test("a host without file descriptors fails the calls that start programs, and lives on", async () => {
  await using workspace = await createWorkspace({
    "package.json": '{"type":"module"}',
    "server.mjs": server,
    "far.js": module("far_add"),
    "note.js": module("note"),
    "plan.yaml": `version: 1
tools:
  - module: ${tool("bash")}
  - module: ${tool("search")}
  - module: ./far.js
    run: { in: process }
  - module: ./note.js
  - module: one
    source: { mcp: { command: ${JSON.stringify(process.execPath)}, args: [server.mjs], instance: call, wake: call } }
hooks:
  - command: "true"
    tools: [note]
policy: { allow: ["*"] }
`,
  });
  const script = join(import.meta.dirname, "support/descriptors-process.ts");
  const words = ["-c", 'ulimit -n 300; exec "$@"', "sh", process.execPath, "-C", "@toolmount/source", script];
  const { stdout, stderr, status } = spawnSync("/bin/sh", [...words, workspace.path("")], {
    encoding: "utf8",
  });

  expect(status, stderr).toBe(0);
  const { without, withSome } = JSON.parse(stdout) as Record<string, Record<string, string>>;
  // What a search could not do is in the log.
  const ended = expect.stringMatching(
    /^(?:failed|denied): .*(?:too many open files|the search engine did not run)/,
  );
  expect(without).toEqual({ bash: ended, glob: ended, far_add: ended, note: ended, hi: ended });
  expect(withSome).toEqual({ bash: "ok", glob: "ok", far_add: "ok", note: "ok", hi: "ok" });
});
