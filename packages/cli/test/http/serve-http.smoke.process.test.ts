import { join } from "node:path";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { atTerminal } from "../support/terminal.ts";
import { command, oneTool, planOf, workspace } from "../support/workspace.ts";

const wipe = oneTool({ name: "wipe", confirm: "true", body: 'return data("wiped");' });

/** Starts the server at a terminal, and reads its address and its tokens from the screen. */
async function serveAtTerminal(folder: string, plan: string, words: readonly string[] = []) {
  const terminal = atTerminal(["serve", plan, "--http", "127.0.0.1:0", ...words], {
    cwd: folder,
    columns: 240,
  });
  const screen = await terminal.until(/page +http/);
  const [, url = ""] = /serving (http\S+)/.exec(screen) ?? [];
  const [, call = ""] = /call +(tm_\S+)/.exec(screen) ?? [];
  const [, decide = ""] = /decide +(tm_\S+)/.exec(screen) ?? [];
  const ask = async (token: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/v1/hosts/default${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { terminal, url, call, decide, ask };
}

test("no tool finds the token that decides: not the shell, not the web tool, not the file tools", async () => {
  const outside = await mkdtemp(join(tmpdir(), "toolmount-tokens-"));
  onTestFinished(() => rm(outside, { recursive: true }));
  const tokens = join(outside, "tokens.json");
  const { folder } = await workspace({
    "plan.yaml": `version: 1
tools:
  - module: bash
  - module: web
  - module: filesystem
    config: { allowed_read_paths: [.], allowed_write_paths: [.] }
  - module: ./wipe.ts
policy:
  level: autonomous
  rules:
    - { match: { tool: bash }, answer: allow, waives: confirmation }
`,
    "wipe.ts": wipe,
  });
  const { url, call, decide, ask, terminal } = await serveAtTerminal(folder, "plan.yaml", [
    "--tokens",
    tokens,
  ]);
  const pid = terminal.pid;
  const tries = [
    { tool: "bash", arguments: { command: "env; cat /proc/self/environ" } },
    { tool: "bash", arguments: { command: `cat /proc/${pid}/environ /proc/${pid}/cmdline` } },
    { tool: "bash", arguments: { command: `cat ${tokens}; ls -la ${outside}` } },
    { tool: "bash", arguments: { command: "grep -r tm_ . --exclude-dir node_modules" } },
    { tool: "bash", arguments: { command: `curl -s ${url}/; curl -s ${url}/api/v1/hosts` } },
    { tool: "web_fetch", arguments: { url: `${url}/` } },
    { tool: "read_file", arguments: { file_path: tokens } },
    { tool: "write_file", arguments: { file_path: tokens, content: "{}" } },
  ];
  const seen: string[] = [];
  for (const body of tries) seen.push((await ask(call, "POST", "/calls", body)).text);
  await ask(call, "POST", "/calls", { tool: "wipe", sessionId: "s" });
  const { waiting } = JSON.parse((await ask(decide, "GET", "/approvals")).text) as {
    waiting: { id: string; tool: string }[];
  };
  const id = waiting.find(({ tool }) => tool === "wipe")!.id;

  expect(seen[0]).toContain("PATH=");
  expect(seen.join("\n")).not.toContain(decide.slice(3));
  expect((await ask(call, "POST", `/approvals/${id}/decision`, { decision: "approve" })).status).toBe(403);
  expect((await ask(call, "GET", "/approvals")).status).toBe(403);
  expect((await stat(tokens)).mode & 0o777).toBe(0o600);
  expect((await ask(decide, "POST", `/approvals/${id}/decision`, { decision: "approve" })).status).toBe(200);
});

test("a call that waits in another process resumes when it is decided over HTTP", async () => {
  const { folder } = await workspace({ "plan.yaml": planOf("./wipe.ts"), "wipe.ts": wipe });
  const { decide, ask } = await serveAtTerminal(folder, "plan.yaml");
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  onTestFinished(() => client.close());
  const args = [...command, "serve", "--stdio", "plan.yaml", "--approval", "wait"];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: "ignore" }),
  );
  const result = client.callTool({ name: "wipe", arguments: {} });
  let id: string | undefined;
  while (id === undefined) {
    const { waiting } = JSON.parse((await ask(decide, "GET", "/approvals")).text) as {
      waiting: { id: string }[];
    };
    id = waiting[0]?.id;
  }

  await ask(decide, "POST", `/approvals/${id}/decision`, { decision: "approve" });

  expect((await result).structuredContent ?? (await result).content).toEqual([
    { type: "text", text: "wiped" },
  ]);
});

test("without a terminal, new tokens are not printed: the server does not start", async () => {
  const { run } = await workspace({ "plan.yaml": planOf("./wipe.ts"), "wipe.ts": wipe });

  const ended = await run(["serve", "plan.yaml", "--http", "127.0.0.1:0"]);

  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain("--tokens");
  expect(ended.stdout + ended.stderr).not.toContain("tm_");
});

test.each(["0.0.0.0:0", "[::]:0", "0:80", "192.168.0.1:0", "*:0"])(
  "the address %s is refused without a flag and a file of tokens",
  async (address) => {
    const { run } = await workspace({ "plan.yaml": planOf("./wipe.ts"), "wipe.ts": wipe });

    expect(await run(["serve", "plan.yaml", "--http", address])).toMatchObject({ code: 2 });
  },
);
