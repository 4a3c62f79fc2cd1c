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
          args: ["-y", "files-server", "/srv", "${x}"],
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
  expect(variables.map(({ name }) => name)).toEqual(["x", "API_KEY", "REMOTE_TOKEN", "REMOTE_X_API_KEY"]);
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
        shell: {
          command: "sh",
          args: ["-c", "DB_TOKEN=abc MODE=fast shop", "MODE=fast TOKEN=${env:T} shop"],
        },
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
    { command: "sh", args: ["-c", "${SHELL_C}", "MODE=fast TOKEN=${T} shop"] },
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
    { name: "SHELL_C", because: "shell, -c" },
    { name: "T", because: "shell, argument 3" },
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
  const { entries, variables, left } = await readServerList(
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
  expect(left).toEqual(["off", "also off"].map((name) => ({ name, because: "the list switches it off" })));
});

/** The entry and the report of a list with one server. */
async function one(server: object) {
  const { entries, variables, left } = await readServerList(JSON.stringify({ mcpServers: { a: server } }));
  const [{ source, tools } = { source: undefined, tools: undefined }] = entries;
  return { mcp: (source as { mcp: object }).mcp, tools, set: variables.map(({ name }) => name), left };
}

test.each<[string, object, object, string[]]>([
  [
    "a variable",
    { command: "x", env: { PLACE: "${PLACE}" } },
    { command: "x", env: { PLACE: "${PLACE}" } },
    ["PLACE"],
  ],
  [
    "a variable after a word",
    { url: "https://a.example", headers: { Authorization: "Bearer ${MY_TOKEN}" } },
    { url: "https://a.example", headers: { Authorization: "Bearer ${MY_TOKEN}" } },
    ["MY_TOKEN"],
  ],
  [
    "a default",
    { command: "x", args: ["--key=${API_KEY:-none}"] },
    { command: "x", args: ["--key=${API_KEY:-none}"] },
    [],
  ],
  [
    "a home",
    { command: "${HOME}/bin/s", args: ["${userHome}/a", "${workspaceFolder}/b"] },
    { command: "${HOME}/bin/s", args: ["${HOME}/a", "./b"] },
    [],
  ],
  [
    "a variable as a shell writes it",
    { command: "x", env: { T: "$GH_TOKEN", S: "a $b" } },
    { command: "x", env: { T: "${GH_TOKEN}", S: "a $b" } },
    ["GH_TOKEN"],
  ],
  [
    "a secret of Continue",
    { command: "x", env: { T: "${{ secrets.GH_TOKEN }}", S: "${{ a b }}" } },
    { command: "x", env: { T: "${GH_TOKEN}", S: "$${{ a b }}" } },
    ["GH_TOKEN"],
  ],
  [
    "a variable of a shell after a word",
    { url: "https://a.example", headers: { Authorization: "Bearer $GH_PAT" } },
    { url: "https://a.example", headers: { Authorization: "Bearer ${GH_PAT}" } },
    ["GH_PAT"],
  ],
  [
    "a text that only looks like one",
    { command: "x", args: ["${a b}", "${"] },
    { command: "x", args: ["$${a b}", "$${"] },
    [],
  ],
])("%s stays a reference", async (_, server, mcp, set) => {
  expect(await one(server)).toEqual({ mcp, tools: undefined, set, left: [] });
});

test.each<[string, object, object]>([
  [
    "of SSE",
    { type: "sse", url: "https://a.example/sse" },
    { url: "https://a.example/sse", transport: "sse" },
  ],
  ["of Gemini", { httpUrl: "https://a.example/mcp" }, { url: "https://a.example/mcp" }],
  [
    "of opencode",
    { type: "local", command: ["npx", "-y", "s"], environment: { A: "1" } },
    { command: "npx", args: ["-y", "s"], env: { A: "1" } },
  ],
  [
    "of Zed",
    { source: "custom", command: { path: "s", args: ["-v"], env: { A: "1" } } },
    { command: "s", args: ["-v"], env: { A: "1" } },
  ],
  ["with its arguments as a text", { command: "npx", args: "-y s" }, { command: "npx", args: ["-y", "s"] }],
])("a server %s is an entry", async (_, server, mcp) => {
  expect(await one(server)).toEqual({ mcp, tools: undefined, set: [], left: [] });
});

test("what switches a tool off is in the entry, and every other setting is named", async () => {
  const settings = { autoApprove: ["b"], timeout: 5, gallery: true };
  const { tools, left } = await one({
    command: "x",
    includeTools: ["a", "b"],
    disabledTools: ["b"],
    ...settings,
  });
  expect(tools).toEqual({ include: ["a", "b"], exclude: ["b"] });
  expect(left).toEqual([
    { name: "a, autoApprove", because: "who approves is in the plan's policy" },
    { name: "a, timeout", because: "its unit differs; write timeoutMs in milliseconds" },
    { name: "a, gallery", because: "an entry has no such setting" },
  ]);
  expect((await one({ command: "x", tools: ["*"] })).tools).toBeUndefined();
  expect((await one({ command: "x", excludeTools: ["*"] })).tools).toEqual({ exclude: ["*"] });
});

test.each(["disabledTools", "disabled_tools", "excludeTools"])(
  "a tool that a list switches off under %s is off",
  async (name) => {
    expect(await one({ command: "x", [name]: ["b"] })).toMatchObject({ tools: { exclude: ["b"] }, left: [] });
  },
);

test("a setting in two spellings counts once, and the other is named", async () => {
  const { mcp, left } = await one({ url: "https://a.example/sse", httpUrl: "https://a.example/mcp" });
  expect(mcp).toEqual({ url: "https://a.example/mcp" });
  expect(left).toEqual([{ name: "a, url", because: "an entry has no such setting" }]);
});

test("of tools switched off in two spellings none is on without a word", async () => {
  const { tools, left } = await one({ command: "x", disabledTools: ["a"], excludeTools: ["b"] });
  expect(tools).toEqual({ exclude: ["b"] });
  expect(left.map(({ name }) => name)).toEqual(["a, disabledTools"]);
});

test.each<[string, object | undefined]>([
  ["enabled_tools", { include: [] }],
  ["includeTools", { include: [] }],
  ["available_tools", undefined],
  ["excludeTools", undefined],
])("an empty list under %s chooses what it does in its application", async (name, tools) => {
  expect(await one({ command: "x", [name]: [] })).toMatchObject({ tools, left: [] });
});

test("what is no list of tools switches nothing off, and is named", async () => {
  const { tools, left } = await one({ command: "x", tools: { b: false } });
  expect(tools).toBeUndefined();
  expect(left.map(({ name }) => name)).toEqual(["a, tools"]);
});

test.each([
  [
    "Goose",
    `
extensions:
  git hub: { type: stdio, cmd: npx, args: [-y, s], envs: { A: "1" }, env_keys: [B], available_tools: [x] }
  web: { type: streamable_http, uri: "https://a.example/mcp", enabled: true }
  off: { type: stdio, cmd: npx, enabled: false }
  developer: { type: builtin, enabled: true }`,
    [
      {
        module: "git hub",
        source: { mcp: { command: "npx", args: ["-y", "s"], env: { A: "1", B: "${B}" } } },
        tools: { include: ["x"] },
      },
      { module: "web", source: { mcp: { url: "https://a.example/mcp" } } },
    ],
    ["off", "developer"],
  ],
  [
    "Continue",
    `
mcpServers:
  - { name: Browser, command: npx, args: [p], connectionTimeout: 5 }
  - { name: Browser, type: sse, url: "https://a.example/sse" }
  - { command: x }
  - 7`,
    [
      { module: "Browser", source: { mcp: { command: "npx", args: ["p"] } } },
      { module: "Browser 2", source: { mcp: { url: "https://a.example/sse", transport: "sse" } } },
      { module: "server 3", source: { mcp: { command: "x" } } },
    ],
    ["Browser, connectionTimeout", "server 4"],
  ],
  [
    "Amp",
    '{"amp.mcpServers":{"a":{"url":"https://a.example/mcp"}}}',
    [{ module: "a", source: { mcp: { url: "https://a.example/mcp" } } }],
    [],
  ],
])("a list of %s is entries", async (_, text, entries, left) => {
  const list = await readServerList(text);
  expect(list.entries).toMatchObject(entries);
  expect(list.entries).toHaveLength(entries.length);
  expect(list.left.map(({ name }) => name)).toEqual(left);
});

test("an entry that cannot be read costs that entry, and other lists have other names", async () => {
  const { entries, left } = await readServerList('{"context_servers":{"a":{"command":"x"},"b":{},"c":7}}');
  expect(entries.map(({ module }) => module)).toEqual(["a"]);
  expect(left.map(({ name }) => name)).toEqual(["b", "c"]);
  expect((await readServerList('{"mcp":{"a":{"type":"local","command":["x"]}}}')).entries).toHaveLength(1);
});

test("limits and variables of Codex are those of an entry", async () => {
  const { entries, variables, left } = await readServerList(`
[mcp_servers.local]
command = "x"
startup_timeout_sec = 20
tool_timeout_sec = 45.5
env_vars = ["A", { name = "B", source = "remote" }]
env = { K = "v" }
default_tools_approval_mode = "prompt"
[mcp_servers.far]
url = "https://x.example/mcp"
startup_timeout_ms = 1500
http_headers = { X-A = "1" }
env_http_headers = { X-B = "B_VAR" }
bearer_token_env_var = "T"
`);

  expect(entries.map(({ source }) => (source as { mcp: object }).mcp)).toEqual([
    { command: "x", env: { A: "${A}", B: "${B}", K: "v" }, startTimeoutMs: 20_000, timeoutMs: 45_500 },
    {
      url: "https://x.example/mcp",
      headers: { "X-A": "1", "X-B": "${B_VAR}", Authorization: "Bearer ${T}" },
      startTimeoutMs: 1_500,
    },
  ]);
  expect(variables.map(({ name }) => name)).toEqual(["A", "B", "B_VAR", "T"]);
  expect(left).toEqual([
    { name: "local, default_tools_approval_mode", because: "who approves is in the plan's policy" },
  ]);
});

test("references of opencode stay references, and the tools that it switches off are off", async () => {
  const mcp = {
    jira: { type: "remote", url: "https://j.example", headers: { Authorization: "Bearer {env:JIRA}" } },
    local: { type: "local", command: ["bun", "x", "my-mcp"], environment: { A: "{env:AA}", B: "{env:}" } },
    gone: { type: "local", command: ["y"] },
    "all off": { type: "local", command: ["z"] },
    some: { type: "local", command: ["z"] },
  };
  const off = ["jira_delete*", "local_send", "gone*", "all_off_*", "bash", "some_*"];
  const tools = { ...Object.fromEntries(off.map((name) => [name, false])), some_read: true };
  const { entries, variables, left } = await readServerList(JSON.stringify({ mcp, tools }));

  expect(entries).toMatchObject([
    { module: "jira", source: { mcp: { headers: { Authorization: "Bearer ${JIRA}" } } } },
    { module: "local", source: { mcp: { env: { A: "${AA}", B: "{env:}" } } }, tools: { exclude: ["send"] } },
    { module: "some" },
  ]);
  expect(variables.map(({ name }) => name)).toEqual(["JIRA", "AA"]);
  expect(left).toEqual([
    { name: "jira, jira_delete*", because: 'under policy, write deny: ["jira_delete*"]' },
    { name: "some, some_*", because: 'under policy, write deny: ["some_*"]' },
    { name: "gone", because: "the list switches it off" },
    { name: "all off", because: "the list switches it off" },
  ]);
});
