import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const files = {
  "mount-plan.yaml": `${planOf("./one.ts")}    config: { key: "\${API_KEY}" }\n`,
  "one.ts": oneTool({ name: "one", body: "return data(1);" }),
};

test("connect shows the entry, and writes it only when it is agreed to", async () => {
  const { run, read } = await workspace(files);

  const shown = await run(["connect", "cursor"]);
  await expect(read(".cursor/mcp.json")).rejects.toThrow("ENOENT");
  const written = await run(["connect", "cursor", "--yes"]);
  const list = JSON.parse(await read(".cursor/mcp.json")) as { mcpServers: { toolmount: unknown } };

  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain("nothing is written");
  expect(written).toMatchObject({ code: 0 });
  expect(list.mcpServers.toolmount).toMatchObject({
    command: process.execPath,
    args: expect.arrayContaining(["serve", "--stdio"]),
    env: { API_KEY: "${env:API_KEY}" },
  });
});

test("comments and other servers stay, and --remove leaves the file as it was", async () => {
  const before = `{
  // my servers
  "servers": {
    "other": { "command": "other" }, // keep this
  },
}
`;
  const { here: run, read } = await workspace({ ...files, ".vscode/mcp.json": before });

  await run(["connect", "vscode", "--yes"]);
  const between = await read(".vscode/mcp.json");
  const again = await run(["connect", "vscode", "--yes"]);
  await run(["connect", "vscode", "--yes", "--remove"]);
  const after = await read(".vscode/mcp.json");

  expect(between).toContain("// my servers");
  expect(between).toContain("// keep this");
  expect(between).toContain('"type": "stdio"');
  expect(again.stdout).toContain("as it should be");
  expect(after.replaceAll(/\s+/g, " ")).toBe(before.replaceAll(/\s+/g, " "));
});

test("a file that is not JSON is left alone, and said so", async () => {
  const { here: run, read } = await workspace({ ...files, ".mcp.json": "{ not json" });

  const ended = await run(["connect", "claude-code", "--yes"]);

  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain(".mcp.json is not JSON");
  expect(await read(".mcp.json")).toBe("{ not json");
});

test("variables that a client cannot refer to are named", async () => {
  const { here: run, folder } = await workspace(files);

  const ended = await run(["connect", "claude-desktop", "--yes", "--json"], {
    env: { XDG_CONFIG_HOME: folder, HOME: folder },
  });

  expect(ended.json()).toMatchObject({ written: true, missing: ["API_KEY"] });
});
