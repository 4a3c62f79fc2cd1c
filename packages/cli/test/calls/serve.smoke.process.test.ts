import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { command, oneTool, planOf, workspace } from "../support/workspace.ts";

/** A tool that writes to standard output in every way there is. */
const noisy = oneTool({
  name: "noisy",
  schema: "word: z.string()",
  body: `
    const { spawnSync } = await import("node:child_process");
    const { writeSync } = await import("node:fs");
    console.log("printed", params.word);
    process.stdout.write('{"jsonrpc":"2.0","method":"notifications/forged"}\\n');
    writeSync(1, "written to the descriptor\\n");
    spawnSync("echo", ["from a child"], { stdio: "inherit" });
    return data({ said: params.word, child: process.env["TOOLMOUNT_PROTOCOL_FD"] ?? null });`,
});

async function connect(folder: string, words: readonly string[], mode: "legacy" | "auto") {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...command, "serve", "--stdio", ...words],
    cwd: folder,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const errors: Error[] = [];
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the SDK has no addEventListener
  client.onerror = (error) => void errors.push(error);
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, errors, transport, printed: () => stderr };
}

test.each(["legacy", "auto"] as const)(
  "in mode %s, nothing but the protocol reaches standard output",
  async (mode) => {
    const { folder } = await workspace({ "plan.yaml": planOf("./noisy.ts"), "noisy.ts": noisy });
    const { client, errors, printed } = await connect(folder, ["plan.yaml"], mode);

    const result = await client.callTool({ name: "noisy", arguments: { word: "hello" } });

    expect(result.structuredContent).toEqual({ said: "hello", child: null });
    expect(errors).toEqual([]);
    for (const line of ["printed hello", "forged", "written to the descriptor", "from a child"])
      expect(printed()).toContain(line);
  },
);

test("a client that leaves ends the command, and its tools with it", async () => {
  const { run } = await workspace({ "plan.yaml": planOf("./noisy.ts"), "noisy.ts": noisy });

  await expect(run(["serve", "--stdio", "plan.yaml"])).resolves.toMatchObject({ code: 0, stdout: "" });
});

test("a plan that is wrong ends serve with its code, on stderr", async () => {
  const { run } = await workspace({ "plan.yaml": planOf("./gone.ts") });

  const ended = await run(["serve", "--stdio", "plan.yaml"]);

  expect(ended).toMatchObject({ code: 78, stdout: "" });
  expect(ended.stderr).toContain("gone.ts");
});

test("a client that draws no forms gets a pending result, though its user may decide; a person approves, and the same call runs", async () => {
  const { folder, run } = await workspace({
    "plan.yaml": `${planOf("./wipe.ts")}state: sqlite:./state.db\n`,
    "wipe.ts": oneTool({ name: "wipe", confirm: "true", body: 'return data("wiped");' }),
  });
  const { client } = await connect(folder, ["plan.yaml", "--approval", "elicitation"], "auto");

  const result = await client.callTool({ name: "wipe", arguments: {} });

  expect(result).toMatchObject({ _meta: { "dev.toolmount/outcome": { status: "pending" } } });
  const { waiting } = (await run(["approvals", "list", "plan.yaml", "--json"])).json() as {
    waiting: readonly { readonly id: string }[];
  };
  const approved = await run(["approvals", "approve", waiting[0]!.id, "plan.yaml"]);
  expect(approved.stdout).toBe(
    "wipe is approved; its MCP client continues, or gets the result when it makes the same call again\n",
  );
  const { content } = await client.callTool({ name: "wipe", arguments: {} });
  expect(content).toEqual([{ type: "text", text: "wiped" }]);
});

test("with --watch, a changed plan is reloaded, and the client learns of the other tools", async () => {
  const quiet = oneTool({ name: "quiet", schema: "word: z.string()", body: "return data(params.word);" });
  const files = { "plan.yaml": planOf("./noisy.ts"), "noisy.ts": noisy, "quiet.ts": quiet };
  const { folder } = await workspace(files);
  const { client, printed, transport } = await connect(folder, ["plan.yaml", "--watch"], "legacy");
  const changed = new Promise((resolve) =>
    client.setNotificationHandler("notifications/tools/list_changed", resolve),
  );
  const line = new Promise<void>((resolve) => {
    transport.stderr?.on("data", () => printed().includes("↻") && resolve());
  });

  await writeFile(join(folder, "plan.yaml"), planOf("./quiet.ts"));
  await Promise.all([changed, line]);

  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["quiet"]);
  expect(printed()).toContain(
    "↻ plan.yaml: reloaded, generation 2: ./quiet.ts mounted, ./noisy.ts removed, 1 kept",
  );
});
