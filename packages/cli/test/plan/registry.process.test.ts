import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startServer, writeTokens } from "../support/served.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const plan = "version: 1\n";

/** A description of a server whose package starts with `npx`. */
const weather = {
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: "io.github.acme/weather",
  description: "Weather of towns",
  version: "1.2.0",
  packages: [
    {
      registryType: "npm",
      registryBaseUrl: "https://registry.npmjs.org",
      identifier: "@acme/weather",
      version: "1.2.0",
      transport: { type: "stdio" },
      packageArguments: [
        { type: "positional", value: "serve" },
        { type: "named", name: "--units", default: "metric" },
        { type: "named", name: "--quiet" },
        {
          type: "named",
          name: "--folder",
          isRequired: true,
          format: "filepath",
          description: "Where it stores",
        },
      ],
      environmentVariables: [
        { name: "WEATHER_API_KEY", isRequired: true, isSecret: true, description: "Your key" },
        { name: "WEATHER_LANG", description: "A language" },
      ],
    },
  ],
};

interface Description {
  readonly name: string;
  readonly version: string;
}

/** A registry on loopback that follows the published OpenAPI: versions of a server, and the search. */
async function startRegistry(servers: readonly Description[]): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    asked.push(`${url.pathname}${url.search}`);
    const answer = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const [, name = "", version = ""] =
      /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(url.pathname) ?? [];
    if (name !== "") {
      const all = servers.filter((one) => one.name === decodeURIComponent(name));
      const found =
        version === "latest" ? all.at(-1) : all.find((one) => one.version === decodeURIComponent(version));
      const meta = { "io.modelcontextprotocol.registry/official": { status: "active" } };
      return found === undefined
        ? answer(404, { error: "Server not found" })
        : answer(200, { server: found, _meta: meta });
    }
    if (url.pathname !== "/v0.1/servers") return answer(404, { error: "Not found" });
    const search = url.searchParams.get("search") ?? "";
    const list = servers
      .filter((one) => one.name.includes(search))
      .map((one) => ({ server: one, _meta: {} }));
    return answer(200, { servers: list, metadata: { count: list.length } });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test("add shows what a server of a registry would run and which secrets it wants, and writes nothing before yes", async () => {
  const { url, asked } = await startRegistry([{ ...weather, version: "1.0.0" }, weather]);
  const { here, read } = await workspace({ "plan.yaml": plan });

  const { code, stdout } = await here(["add", weather.name, "plan.yaml", "--registry", url]);

  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      "io.github.acme/weather 1.2.0  Weather of towns",
      "  runs     WEATHER_API_KEY=${WEATHER_API_KEY} npx -y @acme/weather@1.2.0 serve --units metric --quiet --folder ${WEATHER_FOLDER}",
      "  secret   WEATHER_API_KEY (Your key)",
      "  wants    WEATHER_FOLDER (Where it stores)",
      "  left out WEATHER_LANG (A language)",
      "nothing is written; --yes writes it, and starts the server to lock its tools",
      "",
    ].join("\n"),
  );
  expect(await read("plan.yaml")).toBe(plan);
  expect(asked).toEqual(["/v0.1/servers/io.github.acme%2Fweather/versions/latest"]);
});

test("add --yes writes the entry with a fixed version; with variables that are not set, it says so and does not lock", async () => {
  const { url } = await startRegistry([weather]);
  const { here, read } = await workspace({ "plan.yaml": plan });

  const { code, stdout } = await here([
    "add",
    "io.github.acme/weather@1.2.0",
    "plan.yaml",
    "--registry",
    url,
    "--yes",
  ]);

  expect(code).toBe(0);
  expect(await read("plan.yaml")).toBe(
    `${plan}tools:
  - module: weather
    source:
      mcp:
        command: npx
        args:
          - -y
          - "@acme/weather@1.2.0"
          - serve
          - --units
          - metric
          - --quiet
          - --folder
          - \${WEATHER_FOLDER}
        env:
          WEATHER_API_KEY: \${WEATHER_API_KEY}
    prefix: weather_
    required: false
`,
  );
  expect(stdout).toContain("set the environment variable WEATHER_API_KEY (Your key)");
  expect(stdout).toContain("the lock file was not written: ");
});

test("add --yes gives a server no variable of this machine that only its description names", async () => {
  const name = "AWS_SECRET_ACCESS_KEY";
  const wanted = { name, isRequired: true, isSecret: true, description: "Your key" };
  const [first] = weather.packages;
  const greedy = {
    ...weather,
    packages: [{ ...first!, packageArguments: [], environmentVariables: [wanted] }],
  };
  const { url } = await startRegistry([greedy]);
  const { here, read } = await workspace({ "plan.yaml": plan });
  const env = { [name]: "the-key-of-the-user" };
  const add = (...more: string[]) =>
    here(["add", weather.name, "plan.yaml", "--registry", url, ...more], { env });

  expect((await add()).stdout).toContain("secret   WEATHER_AWS_SECRET_ACCESS_KEY (Your key)");
  const { stdout } = await add("--yes", "--no-load");
  expect(stdout).toContain("set the environment variable WEATHER_AWS_SECRET_ACCESS_KEY (Your key)");
  expect(await read("plan.yaml")).toContain(`${name}: \${WEATHER_${name}}`);
});

test("a plan that publish described is found in a registry, added and locked, and its tools are called through it", async () => {
  const echo = oneTool({ name: "echo", schema: "text: z.string()", body: "return data(params.text);" });
  const manifest = JSON.stringify({ type: "module", version: "2.0.0", description: "Echoes texts" });
  const publisher = await workspace({
    "plan.yaml": planOf("./echo.ts"),
    "echo.ts": echo,
    "package.json": manifest,
  });
  const tokens = await writeTokens();
  const { url } = await startServer(publisher, tokens, ["plan.yaml"]);
  const words = ["--name", "com.example/tools"];
  const published = await publisher.here(["publish", "plan.yaml", ...words, "--public-url", `${url}/mcp`]);
  const again = await publisher.here(["publish", "plan.yaml", ...words, "--public-url", `${url}/mcp`]);
  const described = JSON.parse(await publisher.read("server.json")) as Description;
  const registry = await startRegistry([described]);
  const user = await workspace({});
  const env = { TOOLS_TOKEN: tokens.call };

  const added = await user.here(["add", "com.example/tools", "--registry", registry.url, "--yes"], { env });
  const called = await user.here(["call", "tools_echo", '{"text":"hello"}'], { env });
  const checked = await user.here(["lock", "--check"], { env });

  expect(published.stdout).toBe("✔ server.json describes com.example/tools 2.0.0\n");
  expect(again.stdout).toBe("✔ server.json is as it should be already\n");
  expect(added.stdout).toContain("it gets the environment variable TOOLS_TOKEN");
  expect(added.stdout).toContain("mount-plan.lock.json has its tools");
  expect(await user.read("mount-plan.yaml")).toContain(`Authorization: Bearer \${TOOLS_TOKEN}`);
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") });
  expect(checked.code).toBe(0);
});

test("add accepts the new tools only: a tool of another server that changed meanwhile stays blocked", async () => {
  const tool = (name: string, text: string) =>
    oneTool({ name, body: "return data(1);" }).replace("Does what a test wants", text);
  const publisher = await workspace({
    "plan.yaml": planOf("./echo.ts"),
    "echo.ts": tool("echo", "Echoes"),
    "package.json": JSON.stringify({ type: "module", version: "1.0.0", description: "x" }),
  });
  const tokens = await writeTokens();
  const { url } = await startServer(publisher, tokens, ["plan.yaml"]);
  await publisher.here(["publish", "plan.yaml", "--name", "com.example/tools", "--public-url", `${url}/mcp`]);
  const user = await workspace({ "plan.yaml": planOf("./own.ts"), "own.ts": tool("own", "Mine") });
  await user.here(["lock", "plan.yaml"]);
  await user.write("own.ts", tool("own", "Mine, and now otherwise"));
  const env = { TOOLS_TOKEN: tokens.call };

  const added = await user.run(["add", join(publisher.folder, "server.json"), "plan.yaml", "--yes"], { env });
  const checked = await user.run(["lock", "plan.yaml", "--check"], { env });

  expect(added.stdout).toContain("plan.lock.json has its tools");
  expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining("changed own") });
  expect(checked.stdout).not.toContain("tools_echo");
});

test("a folder is a registry, too: of a server it has several versions of, the newest is added, or the one that is named", async () => {
  const of = (version: string) =>
    JSON.stringify({ ...weather, version, packages: [{ ...weather.packages[0]!, version }] });
  const { here } = await workspace({
    "plan.yaml": plan,
    "registry/old.server.json": JSON.stringify(weather),
    "registry/new/server.json": of("1.10.0"),
    "registry/soon/server.json": of("1.10.0-beta.1"),
  });
  const runs = async (server: string) => {
    const { stdout } = await here(["add", server, "plan.yaml", "--registry", "registry", "--json"]);
    return (JSON.parse(stdout) as { runs: string }).runs;
  };

  expect(await runs("io.github.acme/weather")).toContain("@acme/weather@1.10.0");
  expect(await runs("io.github.acme/weather@1.2.0")).toContain("@acme/weather@1.2.0");
});

const [npm] = weather.packages;

test.each([
  [{ packages: [{ ...npm, version: "latest" }] }, 'npm: its version "latest" is not a fixed one'],
  [{ packages: [{ ...npm, version: "^1.2.0" }] }, "is not a fixed one"],
  [{ packages: [{ ...npm, version: "1.x" }] }, "is not a fixed one"],
  [{ packages: [{ ...npm, identifier: "--call=rm" }] }, "is no name of a package"],
  [{ packages: [{ ...npm, runtimeHint: "bash" }] }, 'its runtimeHint "bash" is not one of npx'],
  [{ packages: [{ ...npm, registryBaseUrl: "https://npm.evil.test" }] }, "which npx would not ask"],
  [{ packages: [{ ...npm, registryType: "mcpb" }] }, "mcpb: packages of this kind are not supported"],
  [
    {
      packages: [
        {
          ...npm,
          registryType: "oci",
          registryBaseUrl: undefined,
          identifier: "acme/weather",
          version: undefined,
        },
      ],
    },
    "is not a fixed one",
  ],
  [
    {
      packages: [
        {
          ...npm,
          registryType: "oci",
          registryBaseUrl: undefined,
          identifier: "acme/weather:latest",
          version: undefined,
        },
      ],
    },
    "is not a fixed one",
  ],
  [
    { packages: [], remotes: [{ type: "streamable-http", url: "http://tools.example.com/mcp" }] },
    "does not begin with https://",
  ],
  [{ packages: [] }, "it offers no package and no address"],
])("a server that cannot be added safely is refused with the reason: %j", async (change, problem) => {
  const { here, read } = await workspace({
    "plan.yaml": plan,
    "server.json": JSON.stringify({ ...weather, ...change }),
  });

  const { code, stderr } = await here(["add", "./server.json", "plan.yaml", "--yes"]);

  expect(code).not.toBe(0);
  expect(stderr).toContain("cannot be added");
  expect(stderr).toContain(problem);
  expect(await read("plan.yaml")).toBe(plan);
});

test("what a server writes is no variable of the plan, also where its values meet: secrets of the user stay", async () => {
  const headers = [
    { name: "X-One", value: "${HOME}" },
    { name: "X-Two", value: "{a}{b}", variables: { a: { value: "$" }, b: { value: "{HOME}" } } },
    { name: "X-Three", default: "$${HOME}" },
    { name: "X-Four", value: "{unknown} {key}", variables: { key: { isSecret: true } } },
  ];
  const described = {
    ...weather,
    packages: [],
    remotes: [{ type: "streamable-http", url: "https://tools.example.com/mcp", headers }],
  };
  const { here, read } = await workspace({ "plan.yaml": plan, "server.json": JSON.stringify(described) });

  await here(["add", "./server.json", "plan.yaml", "--yes"], { env: { WEATHER_KEY: "k" } });
  const { readMcpServers } = await import("@toolmount/loader/commands");
  const { servers } = await readMcpServers(await planFile(await read("plan.yaml")), {
    env: { HOME: "/secret", WEATHER_KEY: "k" },
  });

  expect(servers[0]!.settings["headers"]).toEqual({
    "X-One": "${HOME}",
    "X-Two": "${HOME}",
    "X-Three": "$${HOME}",
    "X-Four": "{unknown} k",
  });
});

async function planFile(text: string): Promise<string> {
  const { folder, write } = await workspace({});
  await write("plan.yaml", text);
  return join(folder, "plan.yaml");
}

test.each([
  ["io.github.acme/wether", "has no such server"],
  ["io.github.acme/weather@9.9.9", "has io.github.acme/weather"],
])("a name that a registry does not have is answered with what it has: %s", async (name, says) => {
  const { url } = await startRegistry([weather]);
  const { here } = await workspace({ "plan.yaml": plan });

  const { stderr } = await here(["add", name, "plan.yaml", "--registry", url]);

  expect(stderr).toContain("no MCP server");
  expect(stderr).toContain(says);
});

test.each([
  [["./server.json"], "no MCP server"],
  [["./broken/server.json"], "name: it is a name such as"],
  [["a/b", "--registry", "http://registry.example.com"], "not an address that begins with https://"],
  [["a/b", "--registry", "http://127.0.0.1:1"], "it cannot be asked"],
  [["a/b", "--registry", "missing"], "no MCP server"],
  [["hello-world", "--type", "npm"], "--type npm is for an MCP server"],
  [["./broken/server.json", "--config", "{}"], "--config is for a module"],
  [["./broken/server.json", "--type", "hook"], "--type hook is for a module"],
])("add %j says what is wrong", async ([server = "", ...words], says) => {
  const { here } = await workspace({ "plan.yaml": plan, "broken/server.json": '{"name":"weather"}' });

  const { code, stderr } = await here(["add", server, "plan.yaml", ...words]);

  expect(code).not.toBe(0);
  expect(stderr).toContain(says);
});

test("publish describes the npm package of a plan with the variables that it reads, and keeps what a person wrote", async () => {
  const source = { mcp: { url: "https://a.example/mcp", headers: { authorization: "Bearer ${A_TOKEN}" } } };
  const mounted = {
    version: 1,
    tools: [{ module: "a", source, prefix: "${PREFIX:-a_}", config: { text: "$${NOT_ONE}" } }],
  };
  const manifest = {
    name: "@acme/tools",
    version: "3.1.0",
    description: "Tools of Acme",
    bin: "./serve.js",
    repository: { type: "git", url: "git+https://github.com/acme/tools.git" },
  };
  const { here, read } = await workspace({
    "plan.json": JSON.stringify(mounted),
    "package.json": JSON.stringify(manifest),
    "server.json": JSON.stringify({ title: "Acme" }),
  });

  const { stdout } = await here(["publish", "plan.json", "--name", "io.github.acme/tools"]);

  expect(JSON.parse(await read("server.json"))).toEqual({
    title: "Acme",
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: "io.github.acme/tools",
    description: "Tools of Acme",
    version: "3.1.0",
    repository: { url: "https://github.com/acme/tools", source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: "@acme/tools",
        version: "3.1.0",
        transport: { type: "stdio" },
        environmentVariables: [
          { name: "A_TOKEN", isRequired: true, isSecret: true },
          { name: "PREFIX", isRequired: false, isSecret: false },
        ],
      },
    ],
  });
  expect(stdout).toContain('add "mcpName": "io.github.acme/tools" to package.json');
});

const facts = { version: "1.0.0", description: "x" };

test.each([
  [{}, [], "name the server with --name"],
  [{}, ["--name", "a/b"], "say its version in package.json"],
  [{ version: "1.0.0" }, ["--name", "a/b"], "describe it in at most 100 characters"],
  [facts, ["--name", "a/b"], "say where it is served with --public-url"],
  [facts, ["--name", "b", "--public-url", "https://a.example/mcp"], 'the name "b" is not valid'],
])("in a package with %j, publish %j says what is missing", async (manifest, words, says) => {
  const { here } = await workspace({ "plan.yaml": plan, "package.json": JSON.stringify(manifest) });

  const { code, stderr } = await here(["publish", "plan.yaml", ...words]);

  expect(code).not.toBe(0);
  expect(stderr).toContain(says);
});
