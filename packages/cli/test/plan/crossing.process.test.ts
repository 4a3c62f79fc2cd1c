import { expect, test } from "vitest";
import { workspace } from "../support/workspace.ts";

const tool = (name: string, execute: string) => `coordinator.mount("tools", {
    name: "${name}", description: "Does it. Use it in tests. Not for anything else.",
    schema: { type: "object", properties: {}, additionalProperties: false },
    category: "read", consequenceLevel: "low", requiresConfirmation: false,
    ${execute}
  });`;

const packageOf = (name: string, toolmount?: object) =>
  JSON.stringify({ name, version: "1.0.0", type: "module", main: "index.js", toolmount });

/** What a module does beside mounting tools, and what `check` says of it. */
const kinds: readonly (readonly [title: string, act: string, said: RegExp, grant: string | undefined])[] = [
  ["a hook", `coordinator.hooks.gate("tool:pre", () => {});`, /a hook on "tool:pre"/, 'hooks: ["tool:pre"]'],
  [
    "a capability",
    `coordinator.registerCapability("acme.notes", { find: () => 1 });`,
    /the capability "acme.notes"/,
    'capabilities: ["acme.notes"]',
  ],
  [
    "a policy",
    `coordinator.mount("policies", { name: "p", prepare: () => null });`,
    /mounts at "policies"/,
    undefined,
  ],
  [
    "a member of contexts",
    `coordinator.provide("auth", () => 1);`,
    /adds "auth" to the context of tools/,
    undefined,
  ],
  [
    "a callback when the plan is ready",
    `} export function onSessionReady() {`,
    /it exports onSessionReady/,
    undefined,
  ],
  [
    "a capability of the host",
    `coordinator.registerCapability("session.protected_paths", []);`,
    /the capability "session.protected_paths"/,
    undefined,
  ],
];

test.each(kinds)(
  "check names %s of a module behind a border, from its manifest and without one",
  async (_, act, said, grant) => {
    const code = `export function mount(coordinator) { ${act} }\n`;
    const { run } = await workspace({
      "node_modules/acme-odd/package.json": packageOf("acme-odd"),
      "node_modules/acme-odd/index.js": code,
      "plan.yaml": "tools: [{ module: odd, source: 'npm:acme-odd' }]\n",
      ...(grant !== undefined && {
        "allowed.yaml": `tools: [{ module: odd, source: 'npm:acme-odd', run: { in: process, ${grant} } }]\n`,
      }),
    });
    const mounted = await run(["check", "plan.yaml"]);
    expect([mounted.code, mounted.stdout]).toEqual([78, expect.stringMatching(said)]);
    expect((await run(["manifest", "node_modules/acme-odd"])).code).toBe(0);
    const read = await run(["check", "plan.yaml", "--no-load"]);
    expect([read.code, read.stdout]).toEqual([78, expect.stringMatching(said)]);

    for (const { stdout } of [mounted, read]) {
      expect(stdout).toContain("run: { in: inline }");
      if (grant !== undefined) expect(stdout).toContain(`run: { in: process, ${grant} }`);
    }
    if (grant === undefined) return;
    const allowed = await run(["check", "allowed.yaml", "--mount"]);
    expect([allowed.code, allowed.stdout]).toEqual([
      0,
      expect.stringMatching(/its hooks decide or hear|it may register/),
    ]);
  },
);

test("check names a capability that a module needs and that the plan does not let it use", async () => {
  const { here: run } = await workspace({
    "node_modules/acme-user/package.json": packageOf("acme-user", {
      type: "tool",
      mounts: ["tools"],
      needs: ["session.working_dir", "acme.notes"],
    }),
    "node_modules/acme-user/index.js": "export function mount() {}\n",
    "plan.yaml": "tools: [{ module: user, source: 'npm:acme-user' }]\n",
    "allowed.yaml": `tools: [{ module: user, source: 'npm:acme-user', run: { in: process, capabilities: [acme.notes] } }]\n`,
  });
  const { code, stdout } = await run(["check", "plan.yaml", "--no-load"]);

  expect([code, stdout]).toEqual([78, expect.stringContaining('it needs the capability "acme.notes"')]);
  expect(stdout).toContain('run: { in: process, capabilities: ["acme.notes"] }');
  expect((await run(["check", "allowed.yaml", "--no-load"])).code).toBe(0);
});

test.each([
  [
    "a function as a capability",
    `coordinator.registerCapability("acme.x", () => 1);`,
    "acme.x cannot cross a border: it is a function",
  ],
  [
    "an instance of a class",
    `coordinator.registerCapability("acme.x", new Map());`,
    "acme.x cannot cross a border: it is a Map, not JSON",
  ],
  [
    "a function as a contribution",
    `coordinator.registerContributor("acme", "x", () => () => 1);`,
    'it contributes to "acme"',
  ],
])("check names %s, which no plan can allow", async (_, act, said) => {
  const { here: run } = await workspace({
    "node_modules/acme-odd/package.json": packageOf("acme-odd"),
    "node_modules/acme-odd/index.js": `export function mount(coordinator) { ${act} }\n`,
    "plan.yaml":
      "tools: [{ module: odd, source: 'npm:acme-odd', run: { in: process, capabilities: [acme.x] } }]\n",
  });
  const { code, stdout } = await run(["check", "plan.yaml"]);

  expect([code, stdout]).toEqual([78, expect.stringContaining(said)]);
});

test("check names a context member of another module that does not cross, and reading it fails with the reason", async () => {
  const auth = `export function mount(coordinator) {
  coordinator.provide("auth", () => "a token");
  ${tool("own", "async execute(_, { auth }) { return { data: auth }; },")}
}\n`;
  const reader = `export function mount(coordinator) {
  ${tool("reader", "async execute(_, context) { return { data: context.auth }; },")}
}\n`;
  const { here: run } = await workspace({
    "auth.mjs": auth,
    "node_modules/acme-reader/package.json": packageOf("acme-reader"),
    "node_modules/acme-reader/index.js": reader,
    "node_modules/acme-auth/package.json": packageOf("acme-auth"),
    "node_modules/acme-auth/index.js": auth,
    "plan.yaml": "tools: [{ module: ./auth.mjs }, { module: reader, source: 'npm:acme-reader' }]\n",
    "listed.yaml":
      "tools: [{ module: auth, source: 'npm:acme-auth', run: { in: inline } }, { module: reader, source: 'npm:acme-reader' }]\n",
  });
  const line = /^ {2}reader: calls run in a process, .*; context\.auth of other modules stays in the host$/m;
  expect((await run(["check", "plan.yaml"])).stdout).toMatch(line);
  expect((await run(["manifest", "node_modules/acme-auth"])).code).toBe(0);
  const listed = await run(["check", "listed.yaml", "--no-load"]);
  expect(listed.stdout).toMatch(line);
  expect(listed.stdout).not.toMatch(/^ {2}auth: /m);

  expect((await run(["call", "plan.yaml", "own", "--json"])).json()).toMatchObject({
    result: { data: "a token" },
  });
  expect((await run(["call", "plan.yaml", "reader", "--json"])).json()).toMatchObject({
    status: "failed",
    result: {
      error: expect.stringMatching(
        /context\.auth is made by another module in the host.*run: \{ in: inline \}/,
      ),
    },
  });
});
