import { existsSync } from "node:fs";
import { glob, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, data, systemClock } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { mounting, native, onePlan, opened, refused } from "../support/decisions-world.ts";

const root = join(import.meta.dirname, "../..");
const { reachedTests } = await import(join(root, "scripts/affected.mjs"));
const read = (path: string) => readFile(join(root, path), "utf8");

interface Manifest {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
const manifestOf = async (folder: string) => JSON.parse(await read(join(folder, "package.json"))) as Manifest;

test("CARD-1: the repository is a pnpm workspace with the named files and folders at its top", async () => {
  const { packages } = parse(await read("pnpm-workspace.yaml")) as { packages: readonly string[] };

  expect(packages).toEqual(expect.arrayContaining(["packages/*", "tools/*", "mount-plans", "test"]));
  for (const file of ["pnpm-workspace.yaml", "turbo.json", "package.json", "README.md"])
    expect((await stat(join(root, file))).isFile(), file).toBe(true);
  for (const folder of ["packages", "tools", "mount-plans", "test"])
    expect((await stat(join(root, folder))).isDirectory(), folder).toBe(true);
});

test("CARD-2: each named library does in it what it is made for", async () => {
  const [top, loader] = await Promise.all([".", "packages/loader"].map(manifestOf));
  const { catalog } = parse(await read("pnpm-workspace.yaml")) as { catalog: object };
  const { tasks } = JSON.parse(await read("turbo.json")) as { tasks: Record<string, { outputs?: unknown }> };

  expect(Object.keys(catalog)).toEqual(
    expect.arrayContaining(["yaml", "zod", "cosmiconfig", "pino", "turbo"]),
  );
  expect(Object.keys({ ...loader!.dependencies, ...loader!.devDependencies })).toEqual(
    expect.arrayContaining(["yaml", "cosmiconfig", "pino", "zod"]),
  );
  expect(top!.devDependencies).toMatchObject({
    "@changesets/cli": "catalog:",
    turbo: "catalog:",
    vitest: "catalog:",
  });
  expect(tasks["build"]!.outputs).toContain("dist/**");
  expect(existsSync(join(root, ".changeset/config.json"))).toBe(true);
  const importers = {
    "plan/parse-yaml.ts": "yaml",
    "plan/find-plan.ts": "cosmiconfig",
    "plan/schema.ts": "zod",
    "host/defaults.ts": "pino",
  };
  for (const [file, library] of Object.entries(importers))
    expect(await read(`packages/loader/src/${file}`)).toContain(`"${library}"`);
});

test("CARD-3: each tool is a package of its own with core as its peer, that builds and tests alone and exports mount", async () => {
  const folders: string[] = [];
  for await (const file of glob("tools/*/package.json", { cwd: root }))
    folders.push(file.replace("/package.json", ""));

  expect(folders.length).toBeGreaterThan(9);
  for (const folder of folders) {
    const { name, scripts, peerDependencies } = await manifestOf(folder);
    expect(name).toMatch(/^@toolmount\/tool-/);
    expect(scripts).toMatchObject({
      build: expect.any(String) as string,
      test: expect.stringContaining(folder) as string,
    });
    expect(peerDependencies).toHaveProperty("@toolmount/core");
    expect(await read(`${folder}/src/index.ts`), folder).toMatch(/\bmount\b/);
  }
});

test("CARD-4: a YAML plan's module is imported, configured and registered, and its calls emit tool:pre and tool:post or tool:error", async () => {
  const files = {
    "tool.js": `export function mount(coordinator, { unit }) {
      coordinator.mount("tools", { name: "measure", description: "Measures. Use when asked. Not else.", schema: { type: "object", properties: { n: { type: "number" } } },
        category: "read", consequenceLevel: "low", requiresConfirmation: false, version: "1.0.0",
        execute: ({ n }) => n < 0 ? { error: "below zero" } : { data: n + unit } });
    }`,
  };
  const { host, events } = await opened(
    'version: 1\ntools:\n  - module: ./tool.js\n    config: { unit: " cm" }\n',
    {},
    { files },
  );

  expect((await host.call({ name: "measure", arguments: { n: 3 } })).result.data).toBe("3 cm");
  expect((await host.call({ name: "measure", arguments: { n: -1 } })).status).toBe("failed");
  expect(events.names.filter((name) => name.startsWith("tool:"))).toEqual([
    "tool:pre",
    "tool:post",
    "tool:pre",
    "tool:error",
  ]);
});

test("CARD-5: an installed package mounts by its name, and the host is composed by the plan's text alone", async () => {
  const packaged = (name: string) => ({
    [`node_modules/@acme/${name}-tool/package.json`]: JSON.stringify({
      name: `@acme/${name}-tool`,
      version: "1.0.0",
      type: "module",
      exports: "./index.js",
    }),
    [`node_modules/@acme/${name}-tool/index.js`]: `export function mount(coordinator) {
      coordinator.mount("tools", { name: "${name}", description: "Answers. Use when asked. Not else.", schema: { type: "object", properties: {} },
        category: "read", consequenceLevel: "low", requiresConfirmation: false, execute: () => ({ data: "${name}" }) });
    }`,
  });
  const files = { ...packaged("tide"), ...packaged("moon") };
  const entry = (name: string) => `  - module: "@acme/${name}-tool"\n`;
  const { host, workspace } = await opened(`version: 1\ntools:\n${entry("tide")}`, {}, { files });

  expect(host.tools().map(({ name }) => name)).toEqual(["tide"]);
  await workspace.write("plan.yaml", `version: 1\ntools:\n${entry("tide")}${entry("moon")}`);
  await host.reload();
  expect((await host.call({ name: "moon" })).result.data).toBe("moon");
  expect((await refused(`version: 1\ntools:\n${entry("sun")}`)).problems).toMatchObject([
    { code: "SOURCE_NOT_FOUND" },
  ]);
});

test("CARD-6: a pull request runs the tests of what it changes and of its users, and every package has tests of its own", async () => {
  const workflow = await read(".github/workflows/pull-request.yml");
  const { tasks } = JSON.parse(await read("turbo.json")) as {
    tasks: Record<string, { dependsOn?: readonly string[] }>;
  };

  expect(workflow).toContain("run: .ci/run");
  expect(reachedTests(["packages/policy/src/config.ts"])).toEqual(
    expect.arrayContaining(["packages/policy/test/config.test.ts", "packages/cli/test/plan/why.test.ts"]),
  );
  expect(tasks["build"]!.dependsOn).toContain("^build");
  for await (const file of glob("{packages,tools}/*/package.json", { cwd: root })) {
    const { name, scripts } = JSON.parse(await read(file)) as Manifest;
    expect(scripts?.["test"], name).toMatch(/^vitest run/);
  }
});

test("APTIX-N60: a call is traced over turns and a session, also one that resumes, by the ids in its outcome, events and audit", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const tool = native(() => data(1), { requiresConfirmation: true });
  const { host, events } = await opened(onePlan, { m: mounting(tool) }, { store });
  const at = { sessionId: "s-1", turnId: "t-1", conversationId: "c-1", userId: "ada" };
  const asked = await host.call({ id: "call-1", name: "probe" }, at);
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "bob");
  const resumed = await host.resume(asked.ticket!, at);
  const entries = (await store.audit!.read()).map(({ entry }) => JSON.stringify(entry));

  for (const outcome of [asked, resumed])
    expect(outcome).toMatchObject({
      callId: "call-1",
      sessionId: "s-1",
      turnId: "t-1",
      conversationId: "c-1",
      userId: "ada",
    });
  const traced = events.events.filter(({ event }) => event.startsWith("tool:"));
  expect(traced.map(({ event }) => event)).toEqual(["tool:pre", "tool:pending", "tool:post"]);
  for (const { data: payload } of traced)
    expect(payload).toMatchObject({
      tool_call_id: "call-1",
      session_id: "s-1",
      turn_id: "t-1",
      conversation_id: "c-1",
    });
  const ofRun = entries.filter((entry) => entry.includes(resumed.runId));
  expect(ofRun.length).toBeGreaterThan(1);
  expect(ofRun.some((entry) => entry.includes('"s-1"') && entry.includes('"t-1"'))).toBe(true);
});

test("APTIX-N60: a call that is replayed from a tape has the ids of the recorded one", async () => {
  let ran = 0;
  const modules = { m: mounting(native(() => data(++ran))) };
  const at = { sessionId: "s-1", turnId: "t-1", conversationId: "c-1", userId: "ada" };
  const call = async (options: object) => {
    const { host, events, workspace } = await opened(onePlan, modules, options);
    const outcome = await host.call({ id: "call-1", name: "probe" }, at);
    await host.close();
    const last = events.events.findLast(({ event }) => event === "tool:post")!;
    return { outcome, ids: last.data, workspace };
  };
  const folder = await mkdtemp(join(tmpdir(), "toolmount-replayed-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [recorded, replayed] = [
    await call({ record: join(folder, "calls.tape") }),
    await call({ replay: join(folder, "calls.tape") }),
  ];

  expect(ran).toBe(1);
  expect(replayed.outcome.result.data).toBe(1);
  for (const id of ["callId", "sessionId", "turnId", "conversationId", "userId"] as const)
    expect(replayed.outcome[id], id).toBe(recorded.outcome[id]);
  for (const id of ["tool_call_id", "session_id", "turn_id", "conversation_id"])
    expect(replayed.ids[id], id).toBe(recorded.ids[id]);
  expect(replayed.outcome.runId).not.toBe(recorded.outcome.runId);
});

test.each<["before" | "during"]>([["before"], ["during"]])(
  "FORGE-N60: the result of a call that is aborted %s it runs has tool, fetchedAt and error, and no data",
  async (when) => {
    const caller = new AbortController();
    const tool = native((_, { abortSignal }) => {
      caller.abort();
      return new Promise((_resolve, reject) =>
        abortSignal.addEventListener("abort", () => reject(new Error("stopped"))),
      );
    });
    const { host } = await opened(onePlan, { m: mounting(tool) });
    if (when === "before") caller.abort();
    const { status, result } = await host.call({ name: "probe" }, { abortSignal: caller.signal });

    expect(status).toBe("cancelled");
    expect(result).toMatchObject({ tool: "probe", error: "Request was cancelled" });
    expect(new Date(result.fetchedAt).toISOString()).toBe(result.fetchedAt);
    expect(result).not.toHaveProperty("data");
  },
);

test("FORGE-N61: fetchedAt is the time at which the attempt began, on success and on failure", async () => {
  let now = Date.parse("2026-01-02T03:04:05.000Z");
  const clock = {
    now: () => now,
    setTimer: (callback: () => void, ms: number) => systemClock.setTimer(callback, ms),
  };
  const tool = native(({ fail }) => {
    now += 60_000;
    if (fail === true) throw new Error("broken");
    return data("late");
  });
  const { host } = await opened(onePlan, { m: mounting(tool) }, { clock });

  expect((await host.call({ name: "probe" })).result.fetchedAt).toBe("2026-01-02T03:04:05.000Z");
  expect((await host.call({ name: "probe", arguments: { fail: true } })).result.fetchedAt).toBe(
    "2026-01-02T03:05:05.000Z",
  );
});

test("FORGE-N63, FORGE-19: a card in a chat shows the stored question, and its button decides it", async () => {
  const tool = native(({ at }) => data(at), { requiresConfirmation: true });
  const { host } = await opened(onePlan, { m: mounting(tool) }, { store: createMemoryStore() });
  const context = { sessionId: "chat-7" };
  const waiting = await host.call({ name: "probe", arguments: { at: "noon" } }, context);
  const [question] = await host.approvals.list();
  const card = { title: question!.prompt, body: question!.arguments, buttons: ["approve", "deny"] as const };

  expect(card).toMatchObject({ title: expect.stringContaining("probe") as string, body: { at: "noon" } });
  await host.approvals.decide(question!.id, card.buttons[0], "ada");
  expect(await host.resume(waiting.ticket!, context)).toMatchObject({
    status: "ok",
    result: { data: "noon" },
  });
});

test("FORGE-N15: a stored question expires when the plan's time for it has passed, and not before", async () => {
  let now = Date.parse("2026-01-02T03:04:05.000Z");
  const clock = { ...systemClock, now: () => now };
  const store = createMemoryStore();
  let ran = 0;
  const tool = native(() => data(++ran), { requiresConfirmation: true });
  const { host } = await opened(onePlan, { m: mounting(tool) }, { store, clock });
  const context = { sessionId: "s" };
  const ask = async (id: string) => {
    const { ticket } = await host.call({ id, name: "probe" }, context);
    const [question] = await host.approvals.list({ callId: id });
    return { ticket: ticket!, question: question! };
  };
  const [early, late] = [await ask("c1"), await ask("c2")];
  expect(early.question.expiresAt - early.question.createdAt).toBe(7 * 24 * 60 * 60 * 1000);

  now = early.question.expiresAt - 1;
  await host.approvals.decide(early.question.id, "approve", "ada");
  expect(await host.resume(early.ticket, context)).toMatchObject({ status: "ok", result: { data: 1 } });
  now = late.question.expiresAt + 1;
  await host.approvals.decide(late.question.id, "approve", "ada").catch(() => undefined);
  expect(await host.resume(late.ticket, context)).toMatchObject({
    status: "denied",
    result: { code: "APPROVAL_EXPIRED" },
  });
  expect(ran).toBe(1);
});
