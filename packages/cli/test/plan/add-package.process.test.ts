import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRegistry } from "../support/package-registry.ts";
import { runCommand, workspace } from "../support/workspace.ts";

/** A package whose tool asks, whose description is the version, and which may do more than mount it. */
const packageOf = (name: string, version: string, more = "") => ({
  "package.json": JSON.stringify({
    name,
    version,
    type: "module",
    exports: "./index.js",
    scripts: { postinstall: "touch ran-a-script" },
  }),
  "index.js": `const schema = { type: "object", properties: {}, additionalProperties: false };
const facts = { schema, category: "write", consequenceLevel: "medium", execute: () => ({ data: 7 }) };
export function mount(coordinator) {
  coordinator.mount("tools", { name: "send", description: "Sends ${version}. Use in tests.", requiresConfirmation: true, ...facts });
  coordinator.mount("tools", { name: "look", description: "Looks. Use in tests.", requiresConfirmation: false, ...facts });
  ${more}
}
`,
});

/** A folder with a plan, and a registry of its project that has these packages. */
async function project(
  packages: Readonly<Record<string, Readonly<Record<string, string>>>>,
  files: Readonly<Record<string, string>> = { "plan.yaml": "# mine\nversion: 1\ntools: []\n" },
) {
  const entries = Object.entries(packages).flatMap(([folder, content]) =>
    Object.entries(content).map(([name, text]) => [`${folder}/${name}`, text]),
  );
  const world = await workspace({ ...Object.fromEntries(entries), ...files });
  const path = (name: string) => join(world.folder, name);
  const registry = await startRegistry({ path }, Object.keys(packages));
  await world.write(".npmrc", `@acme:registry=${registry.url}\n`);
  // The registry of the user must not be asked for a scope that the project keeps elsewhere.
  const env = { npm_config_registry: "http://127.0.0.1:9/", npm_config_cache: path("npm-cache") };
  const run = (words: readonly string[]) => world.here(words, { env });
  return { ...world, env, path, registry, run };
}

test("add fetches a package from the project's registry, shows what a trial behind the border found, and writes entry and lock", async () => {
  const { run, read, path } = await project({ mail: packageOf("@acme/mail", "1.4.0") });
  const { code, stdout } = await run(["add", "@acme/mail", "plan.yaml"]);

  expect(code).toBe(0);
  expect(stdout).toContain(
    "✔ plan.yaml: added @acme/mail\n  fetched @acme/mail 1.4.0; none of its scripts ran\n",
  );
  expect(stdout).toMatch(/send +write +medium +asks +\d+\n/);
  expect(stdout).toMatch(/look +write +medium +does not ask +\d+\n/);
  expect(stdout).toMatch(/2 tools, \d+ tokens in each request/);
  expect(stdout).toContain("calls run in a process, behind the strictest border that works on this machine");
  expect(stdout).toMatch(/the border denies: .*files but its own code, writing, variables of the host/);
  expect(await read("plan.yaml")).toBe(
    '# mine\nversion: 1\ntools:\n  - module: "@acme/mail"\n    source: npm:@acme/mail@^1.4.0\n',
  );
  const lock = JSON.parse(await read("plan.lock.json")) as { tools: object };
  expect(Object.keys(lock.tools)).toEqual(["look", "send"]);
  const called = await run(["call", "plan.yaml", "look", "{}", "--json"]);
  expect(called.json()).toMatchObject({ status: "ok", result: { data: 7 } });
  const [folder = ""] =
    (await readFile(path(".toolmount/modules/package.json"), "utf8")).match(/acme-mail-\w+/) ?? [];
  expect(existsSync(path(`.toolmount/modules/node_modules/${folder}/index.js`))).toBe(true);
  expect(existsSync(path(`.toolmount/modules/node_modules/${folder}/ran-a-script`))).toBe(false);
});

test("add --rehearse shows the same, writes nothing, and keeps what other entries have fetched", async () => {
  const packages = { mail: packageOf("@acme/mail", "1.4.0"), maps: packageOf("@acme/maps", "2.0.0") };
  const { run, read, path } = await project(packages);
  const tried = await run(["add", "@acme/mail", "plan.yaml", "--rehearse"]);

  expect([tried.code, tried.stdout.split("\n")[0]]).toEqual([0, "✔ plan.yaml: would get @acme/mail"]);
  expect(tried.stdout).toMatch(/send .*asks/);
  expect(await read("plan.yaml")).toBe("# mine\nversion: 1\ntools: []\n");
  expect([existsSync(path("plan.lock.json")), existsSync(path(".toolmount/modules"))]).toEqual([
    false,
    false,
  ]);

  await run(["add", "@acme/maps", "plan.yaml", "--entry", '{"prefix":"maps_"}', "--no-load"]);
  const fetched = async () => {
    const text = await read(".toolmount/modules/package.json");
    const { dependencies, optionalDependencies } = JSON.parse(text) as Record<string, object>;
    return { ...dependencies, ...optionalDependencies };
  };
  const before = await fetched();
  const again = await run(["add", "npm:@acme/mail@^1", "plan.yaml", "--rehearse", "--json"]);
  expect(again.json()).toMatchObject({
    rehearsed: true,
    fetched: "@acme/mail 1.4.0",
    tools: [
      { name: "look", asks: false, category: "write", consequence: "medium" },
      { name: "send", asks: true },
    ],
  });
  expect(await fetched()).toEqual(before);
  expect(existsSync(path("plan.lock.json"))).toBe(false);
  expect((await run(["call", "plan.yaml", "maps_look", "{}"])).code).toBe(0);
});

test("packages that are added at the same time are all there, also where one of them fails and is withdrawn", async () => {
  const names = ["one", "two", "bad"];
  const packages = names.map((name) => [
    name,
    packageOf(`@acme/${name}`, "1.0.0", name === "bad" ? 'throw new Error("no town");' : ""),
  ]);
  const { env, read, path, run } = await project(Object.fromEntries(packages));
  const words = names.map((name) => [
    "add",
    `@acme/${name}`,
    "plan.yaml",
    "--entry",
    `{"prefix":"${name}_"}`,
  ]);
  const ended = await Promise.all(words.map((one) => runCommand(one, { cwd: path("."), env })));

  expect(ended.map(({ code }) => code)).toEqual([0, 0, expect.any(Number)]);
  expect(ended[2]).toMatchObject({ stdout: "", stderr: expect.stringContaining("no town") });
  const manifest = await read(".toolmount/modules/package.json");
  expect(["one", "two", "bad"].filter((name) => manifest.includes(`@acme/${name}@`))).toEqual(["one", "two"]);
  expect(await read("plan.yaml")).not.toContain("bad");
  const { stdout } = await run(["list", "plan.yaml"]);
  expect(stdout).toContain("one_send");
  expect(stdout).toContain("two_look");
});

test("what the border refuses is named, with what to write; nothing stays, and the plan may trust the package", async () => {
  const hooked = packageOf("@acme/mail", "1.0.0", 'coordinator.hooks.gate("tool:pre", () => undefined);');
  const { run, read, path } = await project({ mail: hooked });
  const refused = await run(["add", "@acme/mail", "plan.yaml"]);

  expect([refused.code, refused.stdout]).toEqual([78, ""]);
  expect(refused.stderr.replaceAll(/\s+/g, " ")).toMatch(/registers a hook.*run: \{ in: inline \}/);
  expect(await read("plan.yaml")).toBe("# mine\nversion: 1\ntools: []\n");
  expect(existsSync(path(".toolmount/modules"))).toBe(false);

  const trusted = await run(["add", "@acme/mail", "plan.yaml", "--entry", '{"run":{"in":"inline"}}']);
  expect([trusted.code, trusted.stdout]).toEqual([0, expect.not.stringContaining("border")]);
  expect(await read("plan.yaml")).toContain("    run:\n      in: inline\n");
});

test("a plan with a lock file gets the tools of the new entry, and no other change is accepted", async () => {
  const tool = (says: string) =>
    `export const own = { name: "own", description: "${says}. Use in tests.", schema: { type: "object", properties: {}, additionalProperties: false }, category: "read", consequenceLevel: "low", requiresConfirmation: false, execute: () => ({ data: 1 }) };\n`;
  const { run, write, read } = await project(
    { mail: packageOf("@acme/mail", "1.4.0") },
    { "plan.yaml": "version: 1\ntools:\n  - module: ./own.mjs\n", "own.mjs": tool("One") },
  );
  expect((await run(["lock", "plan.yaml"])).code).toBe(0);
  await write("own.mjs", tool("Two"));
  const { stdout } = await run(["add", "@acme/mail", "plan.yaml"]);

  expect(stdout).toContain("plan.lock.json has its tools");
  const { tools } = JSON.parse(await read("plan.lock.json")) as {
    tools: Record<string, { definition: { description: string } }>;
  };
  expect(Object.keys(tools).toSorted()).toEqual(["look", "own", "send"]);
  expect(tools["own"]?.definition.description).toBe("One. Use in tests.");
  expect((await run(["call", "plan.yaml", "own", "{}"])).stdout).toContain("LOCK_DRIFT");
});

test("without its variable a package is added and not tried; a name that no registry has changes nothing", async () => {
  const { run, read, path } = await project({ mail: packageOf("@acme/mail", "1.4.0") });
  const words = ["add", "@acme/mail", "plan.yaml", "--config", '{"key":"${MAIL_KEY}"}'];
  const { code, stdout } = await run(words);

  expect(code).toBe(0);
  expect(stdout).toMatch(/not tried: .*MAIL_KEY.*; set it, then run toolmount check/);
  expect(existsSync(path("plan.lock.json"))).toBe(false);
  const before = await read("plan.yaml");
  const gone = await run(["add", "@acme/gone", "plan.yaml"]);
  expect([gone.code, gone.stderr]).toEqual([expect.any(Number), expect.stringContaining("INSTALL_FAILED")]);
  expect(gone.stderr).toMatch(/npm view failed: Not Found/);
  expect(gone.stderr).not.toMatch(/npm error|A complete log/);
  expect((await run(["remove", "mail", "plan.yaml"])).stderr).toContain('did you mean "@acme/mail"?');
  expect(await read("plan.yaml")).toBe(before);
});
