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

test("a secret of a server becomes a variable, by its name or by its shape, wherever it is written", async () => {
  const shaped = `sk-ant-api03-${"aB3".repeat(20)}`;
  const { entries, variables } = await readServerList(
    JSON.stringify({
      mcpServers: {
        shop: {
          command: "shop",
          args: ["serve", "--api-key", "k1", "--token=t1", "--limit", "5", shaped, "--token", "--all"],
          env: { STRIPE_KEY: "sk1", MODE: "fast", NOTE: shaped, MONKEY: "see" },
        },
        far: { url: "https://far.example/mcp?api_key=abc&page=2&key=d%20e#top" },
        ready: { command: "x", args: ["--token", "${env:MY_TOKEN}", "--key=${env:A}"] },
      },
    }),
  );

  expect(entries.map(({ source }) => (source as { mcp: object }).mcp)).toEqual([
    {
      command: "shop",
      args: [
        "serve",
        "--api-key",
        "${SHOP_API_KEY}",
        "--token=${SHOP_TOKEN}",
        "--limit",
        "5",
        "${SHOP_ARGUMENT_7}",
        "--token",
        "--all",
      ],
      env: { STRIPE_KEY: "${STRIPE_KEY}", MODE: "fast", NOTE: "${NOTE}", MONKEY: "see" },
    },
    { url: "https://far.example/mcp?api_key=${FAR_API_KEY}&page=2&key=${FAR_KEY}#top" },
    { command: "x", args: ["--token", "${MY_TOKEN}", "--key=${A}"] },
  ]);
  expect(variables).toEqual([
    { name: "SHOP_API_KEY", because: "shop, --api-key" },
    { name: "SHOP_TOKEN", because: "shop, --token" },
    { name: "SHOP_ARGUMENT_7", because: "shop, argument 7" },
    { name: "STRIPE_KEY", because: "shop, STRIPE_KEY" },
    { name: "NOTE", because: "shop, NOTE" },
    { name: "FAR_API_KEY", because: "far, api_key" },
    { name: "FAR_KEY", because: "far, key" },
    { name: "MY_TOKEN", because: "ready, --token" },
    { name: "A", because: "ready, --key" },
  ]);
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
