import { expect, test } from "vitest";
import { chooseServer, type ServerJson } from "../../src/scaffold/server-json.ts";

const argument = (value: string) => ({ type: "positional" as const, value });

function server(registryType: string, more: object): ServerJson {
  const identifier = registryType === "oci" ? "ghcr.io/me/weather:1.2.3" : "weather";
  const version = registryType === "oci" ? {} : { version: "1.2.3" };
  const one = { registryType, identifier, ...version, transport: { type: "stdio" }, ...more };
  return { name: "io.github.me/weather", description: "Weather.", version: "1", packages: [one] };
}

const choose = (kind: string, more: object) => () =>
  chooseServer(server(kind, more), { machine: { env: {}, isSeen: false } });

test.each<[string, readonly string[]]>([
  ["npm", ["--package", "evil"]],
  ["npm", ["--package=evil"]],
  ["npm", ["-p", "evil"]],
  ["npm", ["-c"]],
  ["npm", ["--call", "id"]],
  ["npm", ["--userconfig", "x"]],
  ["npm", ["--script-shell=x"]],
  ["npm", ["--node-options", "--import ./x.mjs"]],
  ["npm", ["--registry=https://evil.example"]],
  ["npm", ["--"]],
  ["npm", ["evil"]],
  ["pypi", ["--from", "evil"]],
  ["pypi", ["--index-url", "https://evil.example"]],
  ["pypi", ["--with", "evil"]],
  ["pypi", ["--python", "./x"]],
  ["pypi", ["--with-editable=."]],
  ["oci", ["--privileged"]],
  ["oci", ["-v", "/:/host"]],
  ["oci", ["--volume=/:/host"]],
  ["oci", ["--mount", "type=bind,src=/,dst=/host"]],
  ["oci", ["--network=host"]],
  ["oci", ["--entrypoint", "sh"]],
  ["oci", ["--pid=host"]],
  ["oci", ["--env-file", "x"]],
  ["oci", ["evil"]],
  ["nuget", ["--source", "https://evil.example"]],
  ["nuget", ["--configfile", "x"]],
])("a stranger's description gives %s no runtime argument %j", (kind, words) => {
  expect(choose(kind, { runtimeArguments: words.map(argument) })).toThrow("its runtime argument");
  const [name = "", value] = words;
  const named = { type: "named", name, ...(value !== undefined && { value }) };
  expect(choose(kind, { runtimeArguments: [named] })).toThrow("its runtime argument");
});

test.each<[string, string]>([
  ["npm", "file:../x"],
  ["npm", "./x"],
  ["npm", "/x"],
  ["npm", "https://evil.example/x.tgz"],
  ["npm", "git+https://evil.example/x"],
  ["npm", "me/repository"],
  ["npm", "weather@npm:evil"],
  ["npm", "weather@1"],
  ["npm", "--package=x"],
  ["pypi", "git+https://evil.example/x"],
  ["pypi", "./x"],
  ["pypi", "x @ https://evil.example/x.whl"],
  ["pypi", "x==1"],
  ["nuget", "../x"],
  ["oci", "-v=/:/host"],
])("a stranger's description of kind %s is no place of another package: %s", (kind, identifier) => {
  expect(choose(kind, { identifier })).toThrow(/its identifier|is not a fixed one/);
});

test.each([
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "PATH",
  "Path",
  "HOME",
  "NODE_OPTIONS",
  "NODE_PATH",
  "npm_config_registry",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_node_options",
  "UV_INDEX_URL",
  "PIP_INDEX_URL",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "DOCKER_HOST",
  "DOTNET_STARTUP_HOOKS",
  "BASH_ENV",
  "GIT_SSH_COMMAND",
  "HTTPS_PROXY",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "ELECTRON_RUN_AS_NODE",
  "PUPPETEER_EXECUTABLE_PATH",
  "PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH",
  "CHROME_PATH",
  "TSX_TSCONFIG_PATH",
  "TS_NODE_PROJECT",
  "RUSTC_WRAPPER",
  "CARGO_HOME",
  "GOFLAGS",
  "GOPROXY",
  "JAVA_HOME",
  "MAVEN_OPTS",
  "GRADLE_OPTS",
  "LUA_INIT_5_4",
  "PHPRC",
  "R_PROFILE_USER",
  "JULIA_LOAD_PATH",
  "ERL_AFLAGS",
  "GEM_PATH",
  "BUNDLE_GEMFILE",
  "LESSOPEN",
  "PROMPT_COMMAND",
  "ZDOTDIR",
  "a b",
  "A=B",
])("a stranger's description sets no variable %s", (name) => {
  for (const kind of ["npm", "pypi", "oci", "nuget"])
    expect(choose(kind, { environmentVariables: [{ name, value: "x" }] })).toThrow("its variable");
});

test("what most servers need is written", () => {
  const names = [
    "API_KEY",
    "GITHUB_TOKEN",
    "NODE_ENV",
    "PYTHONUNBUFFERED",
    "PATHFINDER_URL",
    "HOMEPAGE",
    "PIPEDRIVE_KEY",
    "UVICORN_PORT",
    "GITLAB_TOKEN",
    "DB_PATH",
    "GOOGLE_API_KEY",
    "RUSTDESK_URL",
    "CHROMECAST_NAME",
  ];
  const environmentVariables = names.map((name) => ({ name, value: "x" }));
  for (const kind of ["npm", "pypi", "oci", "nuget"])
    expect(
      choose(kind, { environmentVariables, packageArguments: [argument("--port"), argument("1")] }),
    ).not.toThrow();
  for (const identifier of ["weather", "@me/weather", "@modelcontextprotocol/server-x"])
    expect(choose("npm", { identifier, runtimeArguments: [argument("-y")] })).not.toThrow();
});
