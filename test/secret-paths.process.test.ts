import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost, type OpenedHost } from "@toolmount/loader";
import * as interop from "@toolmount/interop";
import * as workers from "@toolmount/workers";
import { expect, onTestFinished, test } from "vitest";

const tools = join(import.meta.dirname, "../tools");

/** Without bubblewrap a command of `bash` has the host's rights. CI always has it. */
const hasBubblewrap =
  process.env["CI"] !== undefined || spawnSync("bwrap", ["--version"]).error === undefined;

const marker = "only-for-the-host";
/** A value of the plan: where a tool reads its file, the host masks it in the result. */
const key = { file: "keys/api.txt", text: "only-the-key-of-the-plan", shown: "[masked]" };
const shownOf = (name: string) => (name === key.file ? key.shown : marker);

const peek = `import { readFileSync } from "node:fs";
export const peek = {
  name: "peek",
  description: "Reads a file. Use in tests.",
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  async execute({ path }) {
    try {
      return { data: { text: readFileSync(path, "utf8") } };
    } catch (error) {
      return { data: { refused: error.code } };
    }
  },
};
`;

/** Files beside the plan that no tool may read. */
const secret = [
  ".env",
  ".env.local",
  ".toolmount/state.db",
  ".toolmount/credentials.db",
  "keys/api.txt",
  "data/calls.db",
];

/** Each way in which a tool could read a file. */
const ways = ["read_file", "grep", "bash", "boxed_bash", "belt_peek", "wall_peek"] as const;

/** What each way names to read these files all the same. */
interface Named {
  readonly named?: readonly string[];
}

async function open({ named = [] }: Named = {}): Promise<{ folder: string; host: OpenedHost }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-secrets-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = [...secret, ".git/config", "notes.md", ".env.example"];
  for (const name of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name === key.file ? key.text : marker);
  }
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools/peek.js"), peek);
  // So that the folder of the plan is the folder of the code.
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "base.json"), JSON.stringify({ version: 1, description: marker }));
  await writeFile(join(folder, "plan.json"), JSON.stringify(planOf(named)));
  const host = await openHost(join(folder, "plan.json"), {
    logger: silentLogger,
    store: createMemoryStore(),
    extensions: {
      "@toolmount/interop": interop,
      "@toolmount/workers": workers,
      keyed,
      "@toolmount/store": keyed,
    },
  });
  onTestFinished(() => void host.close());
  return { folder, host };
}

/** Replaces the store, so that `state` names a file that this test writes. */
const keyed = { mount: () => [] };

function planOf(named: readonly string[]) {
  const shell = { safety_profile: "unrestricted", require_approval: false };
  const read = ["."].concat(named);
  const behind = (border: string) => ({ in: "process", border, read: named, startTimeoutMs: 900_000 });
  const bash = { module: "bash", source: `file:${join(tools, "bash")}` };
  return {
    version: 1,
    extends: "./base.json",
    description: marker,
    state: "sqlite:data/calls.db",
    tools: [
      {
        module: "filesystem",
        source: `file:${join(tools, "filesystem")}`,
        config: { allowed_read_paths: read },
      },
      { module: "search", source: `file:${join(tools, "search")}`, config: { allowed_paths: read } },
      { module: "keyed", config: { key: "${file:./keys/api.txt}" } },
      ...(hasBubblewrap
        ? [
            { ...bash, config: { ...shell, allowed_read_paths: named } },
            {
              ...bash,
              id: "boxed",
              prefix: "boxed_",
              config: { ...shell, isolation: "bubblewrap", allowed_read_paths: named },
            },
            { module: "./tools/peek.js", id: "wall", prefix: "wall_", run: behind("bubblewrap") },
          ]
        : []),
      { module: "./tools/peek.js", id: "belt", prefix: "belt_", run: behind("permission") },
    ],
  };
}

/** What comes back when a tool is asked for the text of a file. */
async function readBy(way: (typeof ways)[number], host: OpenedHost, path: string): Promise<string> {
  const given = {
    read_file: { file_path: path },
    grep: { pattern: "only", path, output_mode: "content", include_ignored: true },
    bash: { command: `cat '${path}'` },
    boxed_bash: { command: `cat '${path}'` },
    belt_peek: { path },
    wall_peek: { path },
  };
  return JSON.stringify(await host.call({ name: way, arguments: given[way] }));
}

const tried = ways.filter((way) => hasBubblewrap || !/bash|wall/.test(way));

test.each(tried)("%s does not read the state, secrets or variables of the plan's folder", async (way) => {
  const { folder, host } = await open();
  await symlink(join(folder, ".env"), join(folder, "link"));
  for (const name of [...secret, "link"])
    expect([name, await readBy(way, host, join(folder, name))]).toEqual([
      name,
      expect.not.stringContaining(shownOf(name)),
    ]);
  // A file beside them can be read.
  for (const name of ["notes.md", ".env.example"])
    expect([name, await readBy(way, host, join(folder, name))]).toEqual([
      name,
      expect.stringContaining(marker),
    ]);
});

test.each(tried)("%s reads such a file when the plan names it", async (way) => {
  const { folder, host } = await open({ named: [".env", "keys/api.txt", ".toolmount/state.db"] });
  for (const name of [".env", key.file, ".toolmount/state.db"])
    expect([name, await readBy(way, host, join(folder, name))]).toEqual([
      name,
      expect.stringContaining(shownOf(name)),
    ]);
  for (const name of [".env.local", ".toolmount/credentials.db"])
    expect([name, await readBy(way, host, join(folder, name))]).toEqual([
      name,
      expect.not.stringContaining(marker),
    ]);
});

test.each(tried)("%s reads .git only where it is no module behind a border", async (way) => {
  const { folder, host } = await open();
  const found = await readBy(way, host, join(folder, ".git/config"));

  expect(found.includes(marker)).toBe(!way.endsWith("peek"));
});

test.each(tried)(
  "%s reads the plan and what it extends only where it is no module behind a border",
  async (way) => {
    const { folder, host } = await open();
    for (const name of ["plan.json", "base.json"])
      expect([name, (await readBy(way, host, join(folder, name))).includes("only")]).toEqual([
        name,
        !way.endsWith("peek"),
      ]);
  },
);

test.each(tried)("%s reads the plan when the plan names it", async (way) => {
  const { folder, host } = await open({ named: ["plan.json"] });

  expect(await readBy(way, host, join(folder, "plan.json"))).toContain("only");
});

test.each(["permission", "bubblewrap"].filter((border) => hasBubblewrap || border === "permission"))(
  "a module behind %s reads no .env, state or history beside its own code, where the plan is elsewhere",
  async (border) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-secrets-")));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const hidden = ["app/.env", "app/.env.local", "app/.git/config", "app/.toolmount/state.db"];
    for (const name of [...hidden, "app/notes.md", "app/.env.example"]) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), name === key.file ? key.text : marker);
    }
    for (const name of ["app/tools", "plans"]) await mkdir(join(folder, name));
    await writeFile(join(folder, "app/tools/peek.js"), peek);
    await writeFile(join(folder, "app/package.json"), '{ "type": "module" }');
    const run = { in: "process", border, startTimeoutMs: 900_000 };
    const plan = { version: 1, tools: [{ module: "../app/tools/peek.js", run }] };
    await writeFile(join(folder, "plans/plan.json"), JSON.stringify(plan));
    const host = await openHost(join(folder, "plans/plan.json"), {
      logger: silentLogger,
      extensions: { "@toolmount/interop": interop, "@toolmount/workers": workers },
    });
    onTestFinished(() => void host.close());
    const isRead = async (name: string) => {
      const outcome = await host.call({ name: "peek", arguments: { path: join(folder, name) } });
      expect(outcome.status).toBe("ok");
      return JSON.stringify(outcome).includes(marker);
    };

    for (const name of hidden) expect([name, await isRead(name)]).toEqual([name, false]);
    for (const name of ["app/notes.md", "app/.env.example"])
      expect([name, await isRead(name)]).toEqual([name, true]);
  },
);

test.runIf(hasBubblewrap)("a command cannot move a secret file to a name that can be read", async () => {
  const { folder, host } = await open();
  const command =
    "mv keys open; mv .env plain; ln .env hard; ln keys/api.txt hard2; cp -r .toolmount copy; true";
  for (const name of ["bash", "boxed_bash"]) await host.call({ name, arguments: { command } });
  const found = await host.call({
    name: "bash",
    arguments: { command: `grep -rs ${marker} open plain hard hard2 copy; true` },
  });

  expect(JSON.stringify(found)).toContain('"ok"');
  expect(JSON.stringify(found.result.data)).not.toContain(`:${marker}`);
  const read = await host.call({ name: "read_file", arguments: { file_path: join(folder, "keys/api.txt") } });
  expect(read.result).toMatchObject({ code: "ACCESS_DENIED" });
});
