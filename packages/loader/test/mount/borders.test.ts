import { silentLogger, type Coordinator } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { inspectPlan } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { nameRunners } from "../../src/mount/runner-modules.ts";
import { installed, workspace } from "../workspace.ts";

const ran = "throw new Error('this module ran')";
const workers = { mount: () => null };

async function refusal(manifest: object, run: string): Promise<string | null> {
  const toolmount = { type: "tool", mounts: ["tools"], tools: [], ...manifest };
  const { path } = await workspace({
    ...installed("@toolmount/tool-m", ran, { toolmount }),
    "plan.yaml": `tools: [{ module: m, run: ${run} }]`,
  });
  const { problems } = await inspectPlan(path("plan.yaml"), {
    logger: silentLogger,
    extensions: { "@toolmount/workers": workers },
  });
  const [problem] = problems;
  if (problem !== undefined)
    expect(problem).toMatchObject({ code: "MODULE_MOUNT_FAILED", line: 1, details: { module: "m" } });
  return problem === undefined ? null : String(problem.details?.["problem"]);
}

const behind = "{ in: process, border: permission }";
const trust = "if you trust its code, write run: { in: inline }";
const cannot = `which is not possible behind a border; ${trust}`;
const allow = (what: string, grant: string) =>
  `${what}, which the plan has to allow behind a border: write run: { in: process, ${grant} }; or, ${trust}`;

test.each<[object, string, string | null]>([
  [{}, behind, null],
  [{ hostOnly: "it reads keys" }, behind, `it reads keys, ${cannot}`],
  [{ mounts: ["tools", "policies"] }, behind, `it mounts at "policies", ${cannot}`],
  [{ context: ["db"] }, behind, `it adds "db" to the context of tools, ${cannot}`],
  [{ hooks: ["tool:pre"] }, behind, allow('it registers a hook on "tool:pre"', 'hooks: ["tool:pre"]')],
  [{ hooks: ["tool:pre"] }, "{ in: process, border: permission, hooks: [tool:pre] }", null],
  [{ provides: ["db"] }, behind, allow('it registers the capability "db"', 'capabilities: ["db"]')],
  [{ needs: ["db"] }, behind, allow('it needs the capability "db"', 'capabilities: ["db"]')],
  [{ needs: ["db"] }, "{ in: process, border: permission, capabilities: [db] }", null],
  [{ needs: ["session.working_dir"] }, behind, null],
  [{ needs: ["db"] }, "{ in: fleet, border: permission }", `it needs the capability "db", ${cannot}`],
  [{ hostOnly: "it exports onSessionReady" }, behind, `it exports onSessionReady, ${cannot}`],
  [{ hostOnly: "it exports onSessionReady" }, "{ in: process }", null],
  [
    { hostOnly: "it reads keys" },
    "{ in: process }",
    "it reads keys, which its calls can do only in the host; write run: { in: inline }, or no run",
  ],
  [{ hostOnly: "it reads keys" }, "{ in: inline }", null],
  [{ hooks: ["tool:pre"], mounts: ["policies"] }, "{ in: process }", null],
])("a module with the manifest %j and run: %s", async (manifest, run, expected) => {
  expect(await refusal(manifest, run)).toBe(expected);
});

test("a runner is named by its place, a second one of the place with a number, and equal ones are one", () => {
  const runs = [
    { in: "process" },
    { in: "process", workers: 2 },
    { in: "fleet" },
    { in: "process" },
    { in: "process", workers: 3 },
    { in: "inline" },
  ];
  const entries = runs.map((run, at) => ({ run, source: undefined, path: ["tools", at] })) as never[];
  const { settings, names } = nameRunners(entries);

  expect(entries.map((entry) => names.get(entry))).toEqual([
    "process",
    "process-2",
    "fleet",
    "process",
    "process-3",
    undefined,
  ]);
  expect(settings.map(({ name }) => name)).toEqual(["process", "process-2", "fleet", "process-3"]);
});

/** A runner that mounts modules behind its border, and what it was asked. */
function farRunner(seen: unknown[]) {
  return {
    mount(coordinator: Coordinator) {
      const describe = async (module: object, host: { announce(event: string, data: object): void }) => {
        seen.push(module);
        host.announce("far:began", { n: 1 });
        return {
          tools: [
            {
              definition: {
                name: "look",
                description: "Looks. Use in tests.",
                schema: z.strictObject({}),
                category: "read",
                consequenceLevel: "low",
                requiresConfirmation: false,
                execute: () => ({ data: "never" }),
              },
              alias: "see",
            },
          ],
          contributions: [{ channel: "words", name: "far", value: "hello" }],
          hooks: [
            {
              kind: "observe",
              event: "tool:post",
              handler: () => seen.push("post"),
              options: {},
            },
          ],
          capabilities: [{ name: "far.db", value: 7 }],
        };
      };
      coordinator.mount("runners", { describe, run: async () => ({ data: "there" }) } as never, {
        name: "process",
      });
    },
  };
}

test("a module behind a border is described by its runner, and what it registers is the host's", async () => {
  const seen: unknown[] = [];
  const heard: unknown[] = [];
  const { path } = await workspace({
    "far.js": ran,
    "plan.yaml": `tools: [{ module: ./far.js, config: { a: 1 }, export: [x], prefix: my_, run: ${behind} }]`,
  });
  const listen = (coordinator: Coordinator) =>
    void coordinator.hooks.observe("far:began", (_, data) => void heard.push(data["n"]));
  await using host = await openHost(
    { extends: path("plan.yaml"), hooks: [{ module: "listen" }] },
    {
      logger: silentLogger,
      cwd: path("."),
      extensions: { "@toolmount/workers": farRunner(seen), listen: { mount: listen } },
    },
  );

  expect(seen).toMatchObject([{ specifier: path("far.js"), config: { a: 1 }, exports: ["x"] }]);
  expect(host.tools().map(({ name }) => name)).toEqual(["my_look"]);
  expect(await host.call({ name: "my_look" })).toMatchObject({ status: "ok", result: { data: "there" } });
  await expect.poll(() => seen.at(-1)).toBe("post");
  expect(host.coordinator.getCapability("far.db")).toBe(7);
  expect(await host.coordinator.collectContributions("words")).toEqual(["hello"]);
});

test("a runner that cannot mount modules behind a border is named", async () => {
  const runner = {
    mount: (coordinator: Coordinator) =>
      coordinator.mount("runners", { run: async () => ({ data: 1 }) }, { name: "process" }),
  };
  const { path } = await workspace({
    "far.js": ran,
    "plan.yaml": `tools: [{ module: ./far.js, run: ${behind} }]`,
  });

  await expect(
    openHost(path("plan.yaml"), { logger: silentLogger, extensions: { "@toolmount/workers": runner } }),
  ).rejects.toMatchObject({
    details: {
      problems: [
        {
          code: "MODULE_MOUNT_FAILED",
          details: { problem: 'the runner "process" does not mount modules behind its border' },
        },
      ],
    },
  });
});
