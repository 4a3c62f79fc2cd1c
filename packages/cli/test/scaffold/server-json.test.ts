import { expect, test } from "vitest";
import { chooseServer, serverJson } from "../../src/scaffold/server-json.ts";

const server = (more: object) =>
  serverJson.parse({ name: "io.me/weather", description: "", version: "1", ...more });

const npm = (more: object = {}) => ({
  registryType: "npm",
  identifier: "@me/weather",
  version: "1.2.3",
  transport: { type: "stdio" },
  ...more,
});

const choose = (offer: object, options: object = {}) =>
  chooseServer(server(offer), { machine: { env: {}, isSeen: false }, ...options });
const runsOf = (one: object) => choose({ packages: [one] }).runs;

function refusal(offer: object, options: object = {}): string {
  try {
    choose(offer, options);
  } catch (error) {
    const { details } = error as { details: { problem: string } };
    return details.problem.replace('the MCP server "io.me/weather" cannot be added: ', "");
  }
  throw new Error("it was chosen");
}

test("an npm package is started by npx, with its words and variables", () => {
  const one = npm({
    runtimeArguments: [
      { type: "positional", value: "-y" },
      { type: "named", name: "--quiet" },
    ],
    packageArguments: [
      { type: "named", name: "--mode", value: "a b" },
      { type: "positional", valueHint: "city", isRequired: true, description: "Where" },
      { type: "positional" },
      { type: "named", name: "--key", default: "never", isSecret: true },
    ],
    environmentVariables: [
      { name: "API_KEY", isRequired: true, description: "The key" },
      { name: "LANG", default: "de" },
      { name: "RETRIES", description: "How often" },
      { name: "URL", value: "https://{host}/{other}", variables: { host: { default: "a.org" } } },
    ],
  });

  expect(choose({ packages: [one] })).toEqual({
    kind: "npm",
    entry: {
      module: "weather",
      source: {
        mcp: {
          command: "npx",
          args: ["-y", "--quiet", "@me/weather@1.2.3", "--mode", "a b", "${WEATHER_CITY}"],
          env: { API_KEY: "${API_KEY}", LANG: "de", URL: "https://a.org/{other}" },
        },
      },
      prefix: "weather_",
      required: false,
    },
    runs: 'API_KEY=${API_KEY} LANG=de URL=https://a.org/{other} npx -y --quiet @me/weather@1.2.3 --mode "a b" ${WEATHER_CITY}',
    variables: [
      { name: "API_KEY", isSecret: true, isSet: false, description: "The key" },
      { name: "WEATHER_CITY", isSecret: false, isSet: false, description: "Where" },
    ],
    left: [
      { name: "RETRIES", isSecret: false, isSet: false, description: "How often" },
      { name: "WEATHER_ARGUMENT", isSecret: false, isSet: false, description: "" },
      { name: "WEATHER_KEY", isSecret: true, isSet: false, description: "" },
    ],
  });
});

test.each<[object, string]>([
  [npm(), "npx -y @me/weather@1.2.3"],
  [npm({ registryType: "pypi", identifier: "weather" }), "uvx weather@1.2.3"],
  [
    npm({
      registryType: "nuget",
      identifier: "Weather",
      packageArguments: [{ type: "positional", value: "a" }],
    }),
    "dnx Weather@1.2.3 --yes -- a",
  ],
  [npm({ registryType: "nuget", identifier: "Weather" }), "dnx Weather@1.2.3 --yes"],
  [
    npm({
      registryType: "oci",
      identifier: "ghcr.io/me/w",
      environmentVariables: [{ name: "A", value: "1" }],
      runtimeArguments: [{ type: "positional", value: "--init" }],
      packageArguments: [{ type: "positional", value: "serve" }],
    }),
    "A=1 docker run -i --rm -e A --init ghcr.io/me/w:1.2.3 serve",
  ],
  [
    npm({
      registryType: "oci",
      identifier: `me/w@sha256:${"a".repeat(64)}`,
      version: undefined,
      runtimeHint: "podman",
    }),
    `podman run -i --rm me/w@sha256:${"a".repeat(64)}`,
  ],
  [npm({ registryBaseUrl: "https://registry.npmjs.org/" }), "npx -y @me/weather@1.2.3"],
  [
    npm({ packageArguments: [{ type: "positional", value: "${HOME}" }] }),
    "npx -y @me/weather@1.2.3 $${HOME}",
  ],
  [npm({ packageArguments: [{ type: "positional", value: "a'b" }] }), 'npx -y @me/weather@1.2.3 "a\'b"'],
])("the package %j runs %s", (one, runs) => {
  expect(runsOf(one)).toBe(runs);
});

test.each<[object, string]>([
  [npm({ registryType: "mcpb" }), "mcpb: packages of this kind are not supported"],
  [npm({ registryType: "toString" }), "toString: packages of this kind are not supported"],
  [npm({ runtimeHint: "bunx" }), 'npm: its runtimeHint "bunx" is not one of npx'],
  [
    npm({ registryType: "oci", runtimeHint: "nerdctl" }),
    'oci: its runtimeHint "nerdctl" is not one of docker, podman',
  ],
  [
    npm({ transport: { type: "sse" } }),
    'npm: a package with the transport "sse" listens on a port of its own; start it, and add its address',
  ],
  [
    npm({ registryBaseUrl: "https://registry.npmjs.org.evil.org" }),
    "npm: it comes from https://registry.npmjs.org.evil.org, which npx would not ask",
  ],
  [npm({ version: undefined }), 'npm: its version "" is not a fixed one'],
  ...["latest", "^1.2.3", "1.x", "x", "1.2.X", "v1", "1 2"].map((version): [object, string] => [
    npm({ version }),
    `npm: its version "${version}" is not a fixed one`,
  ]),
  [
    npm({ identifier: "--eval" }),
    'npm: its identifier "--eval" is no name of a package; write the entry yourself, if you trust it',
  ],
  [
    npm({ identifier: "a b" }),
    'npm: its identifier "a b" is no name of a package; write the entry yourself, if you trust it',
  ],
  [
    npm({ registryType: "oci", identifier: "me/weather", version: "latest" }),
    'oci: its version "latest" is not a fixed one',
  ],
  [
    npm({ registryType: "oci", identifier: "me/w", version: undefined }),
    'oci: its version "" is not a fixed one',
  ],
])("the package %j is refused: %s", (one, reason) => {
  expect(refusal({ packages: [one] })).toBe(reason);
});

test("a remote address is an entry with its headers and transport", () => {
  const remote = (more: object) =>
    choose({ remotes: [{ type: "streamable-http", url: "https://a.org/mcp", ...more }] });
  const headers = [
    {
      name: "Authorization",
      value: "Bearer {token}",
      variables: { token: { isRequired: true, isSecret: true } },
    },
    { name: "X-Plain", value: "1" },
  ];

  expect(remote({ headers })).toEqual({
    kind: "remote",
    entry: {
      module: "weather",
      source: {
        mcp: {
          url: "https://a.org/mcp",
          headers: { Authorization: "Bearer ${WEATHER_TOKEN}", "X-Plain": "1" },
        },
      },
      prefix: "weather_",
      required: false,
    },
    runs: "https://a.org/mcp, Authorization: Bearer ${WEATHER_TOKEN}, X-Plain: 1",
    variables: [{ name: "WEATHER_TOKEN", isSecret: true, isSet: false, description: "" }],
    left: [],
  });
  expect(remote({ type: "sse" }).entry.source).toEqual({
    mcp: { url: "https://a.org/mcp", transport: "sse" },
  });
  expect(remote({ url: "https://{region}.a.org", variables: { region: { value: "eu" } } }).runs).toBe(
    "https://eu.a.org",
  );
  for (const url of ["http://localhost:1/mcp", "http://127.0.0.1/", "http://[::1]:8/"])
    expect(remote({ url }).runs).toBe(url);
});

test.each<[object, string]>([
  [{ type: "websocket", url: "https://a.org" }, 'remote: the transport "websocket" is not supported'],
  ...["http://a.org", "http://localhost.evil.org", "http://127.0.0.1.evil.org/", "ftp://a", ""].map(
    (url): [object, string] => [{ type: "sse", url }, "remote: its address does not begin with https://"],
  ),
  ...["https://a:b@c.org/x", "https://a@c.org", "http://localhost:a@c.org"].map((url): [object, string] => [
    { type: "sse", url },
    "remote: its address has a name or a password before the host",
  ]),
  ...["X-A\r\nEvil: 1", "X A"].map((name): [object, string] => [
    { type: "sse", url: "https://a.org", headers: [{ name, value: "1" }] },
    `remote: its header ${JSON.stringify(name)} is no name of a header`,
  ]),
])("the remote %j is refused: %s", (one, reason) => {
  expect(refusal({ remotes: [one] })).toBe(reason);
});

test("the first way that can be used is chosen, or the first of the kind that is wanted", () => {
  const offer = {
    packages: [npm({ version: "latest" }), npm({ registryType: "pypi", identifier: "w" })],
    remotes: [{ type: "sse", url: "https://a.org" }],
  };

  expect(choose(offer).kind).toBe("pypi");
  expect(choose(offer, { type: "remote", id: "My Server!" }).entry).toMatchObject({
    module: "My Server!",
    prefix: "my_server_",
  });
  expect(refusal(offer, { type: "npm" })).toBe('npm: its version "latest" is not a fixed one');
  expect(refusal(offer, { type: "oci" })).toBe("it offers no oci");
  expect(refusal({})).toBe("it offers no package and no address");
  expect(refusal({ packages: [npm({ version: "latest" })], remotes: [{ type: "x" }] })).toBe(
    'npm: its version "latest" is not a fixed one; remote: the transport "x" is not supported',
  );
});

test("a variable of this machine stays with it, unless a person agrees to it by name", () => {
  const asks = { isRequired: true, description: "Your key" };
  const offers = [
    { packages: [npm({ environmentVariables: [{ name: "AWS_SECRET_ACCESS_KEY", ...asks }] })] },
    {
      packages: [
        npm({ packageArguments: [{ type: "positional", valueHint: "AWS_SECRET_ACCESS_KEY", ...asks }] }),
      ],
    },
    {
      remotes: [{ type: "sse", url: "https://a.org", headers: [{ name: "AWS_SECRET_ACCESS_KEY", ...asks }] }],
    },
    {
      remotes: [
        {
          type: "sse",
          url: "https://a.org/{AWS_SECRET_ACCESS_KEY}",
          variables: { AWS_SECRET_ACCESS_KEY: asks },
        },
      ],
    },
  ];
  const env = { AWS_SECRET_ACCESS_KEY: "the-key-of-the-user" };
  for (const offer of offers) {
    const unseen = choose(offer, { machine: { env, isSeen: false } });
    expect(unseen.runs).toContain("${WEATHER_AWS_SECRET_ACCESS_KEY}");
    expect(JSON.stringify(unseen.entry)).not.toContain("${AWS_SECRET_ACCESS_KEY}");
    expect(unseen.variables).toMatchObject([{ name: "WEATHER_AWS_SECRET_ACCESS_KEY", isSet: false }]);
    const seen = choose(offer, { machine: { env, isSeen: true } });
    expect(seen.variables).toMatchObject([{ name: "AWS_SECRET_ACCESS_KEY", isSet: true }]);
    expect(seen.runs).toContain("${AWS_SECRET_ACCESS_KEY}");
  }
});

test.each(["weather", "a/b/c", "/x", `${"a".repeat(199)}/b`])("%s is no name of a server", (name) => {
  expect(serverJson.safeParse({ name, description: "", version: "1" }).success).toBe(false);
});
