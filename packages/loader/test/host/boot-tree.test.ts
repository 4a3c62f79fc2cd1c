import { silentLogger, type Coordinator } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost, type BootEntry } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

const shape = ({ id, state, kept, needs }: BootEntry): unknown => ({
  id,
  state,
  kept,
  needs: needs.map(shape),
});

test("the boot tree has each module once, below the first module that needs it, with the time of each step", async () => {
  const files = {
    ...installed("@acme/base", "export const mount = (c) => void c.registerCapability('base', 1);", {
      toolmount: { mounts: [], provides: ["base"] },
    }),
    ...installed("@acme/one", "export const mount = () => {};", {
      toolmount: { mounts: [], needs: ["base"] },
    }),
    ...installed("@acme/two", "export const mount = () => {};", {
      toolmount: { mounts: [], needs: ["base"] },
    }),
    "plan.yaml":
      'tools: [{ module: "@acme/one" }, { module: "@acme/two" }, { module: "@acme/base" }, { module: ./gone.js, required: false }]\n',
  };
  const { path } = await workspace(files);
  await using host = await openHost(path("plan.yaml"), { logger: silentLogger });

  const base = { id: "@acme/base", state: "mounted", kept: false, needs: [] };
  expect(host.bootTree().map(shape)).toEqual([
    { id: "@acme/one", state: "degraded", kept: false, needs: [base] },
    { id: "@acme/two", state: "degraded", kept: false, needs: [] },
    { id: "./gone.js", state: "failed", kept: false, needs: [] },
  ]);
  const [one] = host.bootTree();
  expect(Object.keys(one!.times)).toEqual(["resolveMs", "importMs", "configMs", "mountMs"]);
  expect(host.bootTree().at(-1)?.times).toEqual({ resolveMs: expect.any(Number) as number });
  await host.reload();
  expect(host.bootTree().map(({ kept }) => kept)).toEqual([true, true, false]);
  expect(host.bootTree()[0]?.times).toEqual(one!.times);
});

test("a module that another module asked for is below it", async () => {
  const asking = {
    mount(coordinator: Coordinator) {
      coordinator.mount("tools", {
        ToolName: "x",
        name: "x",
        description: "Needs an adapter. Use in tests.",
        input_schema: { type: "object" },
        execute: async () => ({ success: true, output: 1 }),
      } as never);
    },
  };
  const interop = {
    mount(coordinator: Coordinator) {
      coordinator.mount("adapters", {
        name: "a",
        recognises: () => true,
        adapt: () => ({
          name: "x",
          description: "Answers always the same. Use in tests.",
          schema: { type: "object" } as never,
          category: "read",
          consequenceLevel: "low",
          requiresConfirmation: false,
          execute: () => ({ data: 1 }),
        }),
      });
      coordinator.mount("schema-compiler", {
        compile: () => (value: unknown) => ({ ok: true, value }),
      } as never);
    },
  };
  await using host = await openHost(
    { tools: [{ module: "asking" }] },
    { logger: silentLogger, extensions: { asking, "@toolmount/interop": interop } },
  );

  expect(host.bootTree().map(shape)).toMatchObject([{ id: "asking", needs: [{ id: "@toolmount/interop" }] }]);
});
