import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { plainEnv, toolmount } from "./support/command.ts";
import { folderOf } from "./support/world.ts";

const require = createRequire(import.meta.url);
const manifest = require.resolve("@modelcontextprotocol/inspector/package.json");
const { bin } = require(manifest) as { bin: Readonly<Record<string, string>> };
const program = join(dirname(manifest), bin["mcp-inspector"] ?? "");

/** The command line of the official Inspector, before `toolmount serve --stdio`. */
async function inspect(era: string, ...words: readonly string[]) {
  const [command, ...args] = [
    ...toolmount,
    "serve",
    join(import.meta.dirname, "fixtures/inspected.yaml"),
    "--stdio",
  ];
  const folder = await folderOf({
    "servers.json": JSON.stringify({ mcpServers: { host: { type: "stdio", command, args } } }),
  });
  const config = ["--cli", "--config", join(folder, "servers.json"), "--server", "host"];
  const given = [program, ...config, "--protocol-era", era, "--format", "json", "--quiet", ...words];
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = { ...plainEnv(), HOME: folder };
    execFile(process.execPath, given, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

const eras = ["legacy", "modern"] as const;

test.each(eras)(
  "the Inspector lists the tools of a host in the %s era, and finds no fault in their schemas",
  async (era) => {
    const { code, stdout, stderr } = await inspect(era, "--method", "tools/list", "--strict");

    expect(code, stderr).toBe(0);
    const { result } = JSON.parse(stdout) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toContain("test_simple_text");
  },
);

test.each(eras)(
  "the Inspector calls a tool of a host in the %s era, and sees a failure as one",
  async (era) => {
    const call = (name: string) =>
      inspect(era, "--method", "tools/call", "--tool-name", name, "--tool-args-json", "{}");

    const [good, failing, unknown] = [
      await call("test_simple_text"),
      await call("test_error_handling"),
      await call("nothing"),
    ];

    expect(good.code, good.stderr).toBe(0);
    expect(good.stdout).toContain("This is a simple text response for testing.");
    expect([failing.code, unknown.code]).toEqual([5, 5]);
    expect(failing.stderr + failing.stdout).toContain("tool_is_error");
    expect(unknown.stderr).toContain("tool_not_found");
  },
);
