import { spawn } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { isRecord } from "@toolmount/core/json";
import {
  anthropicApi,
  chatApi,
  geminiApi,
  responsesApi,
  startProvider,
  type ProviderApi,
} from "@toolmount/testing/providers";
import { expect, onTestFinished, test } from "vitest";
import { installed, published, type Agent } from "../agents/support/published.ts";
import { plainEnv, run } from "./support/command.ts";
import { compareTable } from "./support/compatibility.ts";
import { folderOf } from "./support/world.ts";

/** What a project's own entry starts by its name: the built command. */
const command = join(import.meta.dirname, "../../packages/cli/bin/toolmount.js");

/** A server of one tool, which returns a text that stands nowhere else. */
const server = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const look = { name: "look", description: "Looks. Use when asked.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/list") send({ id, result: { tools: [look] } });
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "seen " + 6 * 7 }] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
}
`;

const entry = { command: "node", args: ["files.mjs"] };

/** How one agent gets a model, a list of servers, and work. */
interface Row {
  readonly api: ProviderApi;
  /** The name under which the model calls the tool `files_look`. */
  readonly tool: string;
  /** The file of servers, from the folder of the project, which is the user's home, too. */
  readonly list: string;
  readonly files: (origin: string) => Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly env: (origin: string) => Readonly<Record<string, string>>;
}

const rows: Readonly<Record<Agent, Row>> = {
  "claude-code": {
    api: anthropicApi,
    tool: "mcp__toolmount__files_look",
    list: ".mcp.json",
    files: () => ({ ".mcp.json": JSON.stringify({ mcpServers: { files: entry } }) }),
    words: [
      "-p",
      "Look.",
      "--mcp-config",
      ".mcp.json",
      "--strict-mcp-config",
      "--allowedTools",
      "mcp__toolmount__*",
    ],
    env: (origin) => ({
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: "k",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
  },
  codex: {
    api: { ...responsesApi, events: (spoken) => responsesApi.events(spoken).map(withNamespace) },
    tool: "mcp__toolmount__files_look",
    list: ".codex/config.toml",
    files: (origin) => ({
      ".codex/config.toml": `model = "m"\nmodel_provider = "own"

[model_providers.own]
name = "own"
base_url = "${origin}/v1"
wire_api = "responses"
env_key = "OWN_KEY"

[mcp_servers.files]
command = "node"
args = ["files.mjs"]
`,
    }),
    words: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Look."],
    env: () => ({ OWN_KEY: "k" }),
  },
  gemini: {
    api: geminiApi,
    tool: "mcp_toolmount_files_look",
    list: "project/.gemini/settings.json",
    files: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
      "project/.gemini/settings.json": JSON.stringify({ mcpServers: { files: entry } }),
    }),
    words: ["-m", "gemini-2.5-flash", "--yolo", "-p", "Look."],
    env: (origin) => ({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: origin }),
  },
  opencode: {
    api: chatApi,
    tool: "toolmount_files_look",
    list: "opencode.json",
    files: (origin) => ({
      "opencode.json": JSON.stringify({
        model: "own/m",
        provider: {
          own: {
            npm: "@ai-sdk/openai-compatible",
            name: "own",
            options: { baseURL: `${origin}/v1`, apiKey: "k" },
            models: { m: { name: "m", tool_call: true } },
          },
        },
        mcp: { files: { type: "local", command: ["node", "files.mjs"] } },
      }),
    }),
    words: ["run", "Look."],
    env: () => ({}),
  },
};

/** Codex names a tool of MCP by its server and its own name. */
function withNamespace(event: object): object {
  const named = (_: string, value: unknown): unknown =>
    isRecord(value) && value["type"] === "function_call"
      ? { ...value, namespace: "mcp__toolmount", name: String(value["name"]).replace("mcp__toolmount__", "") }
      : value;
  return JSON.parse(JSON.stringify(event), named) as object;
}

/** A model that calls the tool, and reports when it has read the result. The agents' requests are their own, so none is refused. */
async function startModel({ api, tool }: Row) {
  let calls = 0;
  const model = await startProvider({ ...api, check: () => [] }, (_, request) => {
    if (JSON.stringify(request).includes("seen 42")) return { text: "It is done." };
    const isOffered = JSON.stringify(request["tools"] ?? []).includes("files_look");
    if (!isOffered && api !== anthropicApi) return { text: "No tool." };
    return ++calls > 3
      ? { text: "No result." }
      : { calls: [{ id: `c${calls}`, name: tool, arguments: "{}" }] };
  });
  onTestFinished(() => model.close());
  return model;
}

test.each(Object.keys(rows) as Agent[])(
  "guard puts a plan before the servers of %s, and the agent calls their tools through it",
  async (agent) => {
    const row = rows[agent];
    const program = await installed(agent);
    const model = await startModel(row);
    const origin = new URL(model.baseUrl).origin;
    const home = await folderOf({ "files.mjs": server });
    const project = row.list.startsWith("project/") ? join(home, "project") : home;
    for (const [path, content] of Object.entries({
      ...row.files(origin),
      [`${project.slice(home.length)}/files.mjs`]: server,
    })) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), content);
    }
    await mkdir(join(project, "node_modules/.bin"), { recursive: true });
    await symlink(command, join(project, "node_modules/.bin/toolmount"));
    if (agent === "gemini")
      await writeFile(
        join(home, ".gemini/trustedFolders.json"),
        JSON.stringify({ [project]: "TRUST_FOLDER" }),
      );

    const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
    const guarded = await run(["guard", agent, "--yes"], { cwd: project, env });
    expect(guarded, guarded.stderr).toMatchObject({ code: 0 });
    expect(await readFile(join(home, row.list), "utf8")).not.toContain("files.mjs");

    const child = spawn(program, row.words, {
      cwd: project,
      env: { ...plainEnv(), ...env, ...row.env(origin), NO_COLOR: "1", IS_SANDBOX: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const audit = await run(["audit", "--json"], { cwd: project, env });

    expect(`${stdout}${stderr}`).toContain("It is done.");
    expect(audit.stdout).toContain('"files_look"');
  },
);

test("the page names the agents and their versions", async () => {
  const named = Object.values(published).map(({ package: name, version }) => [`\`${name}\``, version]);

  await expect(compareTable("agents", ["package", "version"], named)).resolves.toBeUndefined();
});
