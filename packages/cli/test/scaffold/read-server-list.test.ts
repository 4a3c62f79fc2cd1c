import { expect, test } from "vitest";
import { readServerList } from "../../src/scaffold/read-server-list.ts";

test("servers of Claude Desktop and Cursor become entries, and their secrets variables", async () => {
  const { entries, variables } = await readServerList(
    JSON.stringify({
      mcpServers: {
        "My Files": {
          command: "npx",
          args: ["-y", "files-server", "/srv", "${x}"],
          env: { LOG: "debug", API_KEY: "abc123", EMPTY_TOKEN: "" },
        },
        remote: {
          url: "https://mcp.example/x",
          headers: { Authorization: "Bearer ${env:REMOTE_TOKEN}", "X-Api-Key": "zzz" },
        },
      },
    }),
  );

  expect(entries).toEqual([
    {
      module: "My Files",
      prefix: "my_files_",
      required: false,
      source: {
        mcp: {
          command: "npx",
          args: ["-y", "files-server", "/srv", "$${x}"],
          env: { LOG: "debug", API_KEY: "${API_KEY}", EMPTY_TOKEN: "" },
        },
      },
    },
    {
      module: "remote",
      prefix: "remote_",
      required: false,
      source: {
        mcp: {
          url: "https://mcp.example/x",
          headers: { Authorization: "Bearer ${REMOTE_TOKEN}", "X-Api-Key": "${REMOTE_X_API_KEY}" },
        },
      },
    },
  ]);
  expect(variables.map(({ name }) => name)).toEqual(["API_KEY", "REMOTE_TOKEN", "REMOTE_X_API_KEY"]);
});

test("servers of VS Code, with comments and inputs, become entries", async () => {
  const { entries, variables } = await readServerList(`{
    // what is asked for
    "inputs": [{ "type": "promptString", "id": "gh-token", "password": true, }],
    "servers": {
      /* GitHub's */
      "github": { "type": "http", "url": "https://api.example/mcp/", "headers": { "Authorization": "Bearer \${input:gh-token}" } },
      "here": { "type": "stdio", "command": "node", "args": ["\${workspaceFolder}/server.js", "http://not//a/comment"], },
    },
  }`);

  expect(entries).toMatchObject([
    { module: "github", source: { mcp: { headers: { Authorization: "Bearer ${GH_TOKEN}" } } } },
    { module: "here", source: { mcp: { args: ["./server.js", "http://not//a/comment"] } } },
  ]);
  expect(variables).toEqual([{ name: "GH_TOKEN", because: "github, Authorization" }]);
  expect((await readServerList('{"mcp":{"servers":{"a":{"command":"x"}}}}')).entries).toHaveLength(1);
});

test.each([["{"], ["[]"], ['{"tools":[]}'], ['{"mcpServers":{"a":{}}}'], ['{"mcpServers":{"a":7}}']])(
  "%s is no list of servers",
  async (text) => {
    await expect(readServerList(text)).rejects.toMatchObject({ code: "USAGE_INVALID" });
  },
);

test("a server that the list switches off is no entry, and asks for no variable", async () => {
  const { entries, variables, disabled } = await readServerList(
    JSON.stringify({
      mcpServers: {
        on: { command: "a", disabled: false },
        off: { command: "b", disabled: true, env: { API_KEY: "abc" } },
        "also off": { url: "https://mcp.example/x", enabled: false },
      },
    }),
  );

  expect(entries.map(({ module }) => module)).toEqual(["on"]);
  expect(variables).toEqual([]);
  expect(disabled).toEqual(["off", "also off"]);
});
