import { createHost, silentLogger, type Coordinator, type Logger } from "@toolmount/core";
import { recogniseModule } from "@toolmount/core/modules";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { mountModule } from "../../src/mount/recording-coordinator.ts";

const tool = (name: string) => ({
  name,
  description: "Answers. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  execute: () => ({ data: name }),
});

async function mounted(
  mount: (coordinator: Coordinator) => unknown,
  more: object = {},
  closed?: AbortSignal,
) {
  const warned: { readonly fields: object; readonly text: string }[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields, text = "") => void warned.push({ fields, text }),
    child: () => logger,
  };
  const host = createHost({ logger });
  const recording = await mountModule(
    "m",
    recogniseModule("m", { mount, ...more }),
    host.coordinator,
    {},
    closed,
  );
  return { host, recording, warned };
}

test("what a module registers is recorded by its kind", async () => {
  const look = tool("look");
  const { recording } = await mounted((coordinator) => {
    coordinator.mount("tools", look);
    coordinator.mount("policies", { name: "p", prepare: () => null });
    coordinator.mount("policies", { name: "q", prepare: () => null });
    coordinator.registerCapability("mine", 1);
    coordinator.provide("helper", () => 1);
    coordinator.registerContributor("channel", "m", () => 1);
    coordinator.hooks.gate("tool:pre", () => undefined);
    coordinator.hooks.observe("tool:post", () => undefined);
    coordinator.hooks.on("tool:error", () => undefined);
    coordinator.hooks.register("session:end", () => undefined);
  });

  expect([...recording.tools]).toEqual([look]);
  expect([...recording.points]).toEqual(["tools", "policies"]);
  expect([...recording.capabilities]).toEqual(["mine"]);
  expect([...recording.context]).toEqual(["helper"]);
  expect([...recording.hooks]).toEqual(["tool:pre", "tool:post", "tool:error", "session:end"]);
  expect(recording.registeredAnything()).toBe(true);
});

test.each<[string, (coordinator: Coordinator) => unknown, boolean]>([
  ["a cleanup alone", (coordinator) => coordinator.registerCleanup(() => undefined), false],
  ["a contributor", (coordinator) => coordinator.registerContributor("c", "m", () => 1), true],
  ["an observer", (coordinator) => coordinator.hooks.observe("*", () => undefined), true],
  ["nothing", () => undefined, false],
])("a module that registers %s: it registered something is %s", async (_title, mount, expected) => {
  const { recording } = await mounted((coordinator) => void mount(coordinator));
  expect(recording.registeredAnything()).toBe(expected);
});

test("a registration that is refused is not recorded, and its stack begins in the module", async () => {
  let stack = "";
  const { recording } = await mounted((coordinator) => {
    try {
      coordinator.mount("nowhere" as "tools", tool("look"));
    } catch (error) {
      stack = (error as Error).stack!;
    }
  });

  expect(recording.registeredAnything()).toBe(false);
  expect(stack.split("\n").find((line) => /^\s+at /.test(line))).toContain("late-mount.test.ts");
});

test("a tool that is exported and mounted under its name needs no warning, and another one is named", async () => {
  const look = tool("look");
  const mount = (coordinator: Coordinator) => void coordinator.mount("tools", { ...look });
  const quiet = await mounted(mount, { look });
  const loud = await mounted(mount, { look, list: tool("list") });

  expect(quiet.warned).toEqual([]);
  expect(loud.warned).toEqual([
    {
      fields: { tools: ["list"] },
      text: "the module exports tools that its mount does not mount; they are not offered",
    },
  ]);
});

describe("a module whose mount was given up", () => {
  async function late(cleanup: () => unknown) {
    const controller = new AbortController();
    let kept!: Coordinator;
    const { warned, host } = await mounted(
      (coordinator) => {
        kept = coordinator;
        coordinator.mount("tools", tool("look"));
        coordinator.registerCleanup(() => undefined);
      },
      {},
      controller.signal,
    );
    controller.abort();
    const undo = kept.registerCleanup(cleanup);
    return { kept, warned, host, undo };
  }

  test("can register nothing any more", async () => {
    const { kept, host } = await late(() => undefined);
    const refusal = expect.objectContaining({
      code: "MODULE_MOUNT_FAILED",
      details: { module: "m", problem: "its mount failed or took too long; its coordinator is closed" },
    }) as Error;

    expect(() => kept.mount("tools", tool("list"))).toThrow(refusal);
    expect(() => kept.registerCapability("mine", 1)).toThrow(refusal);
    expect(() => kept.getCapability("mine")).toThrow(refusal);
    expect(() => kept.hooks.gate("tool:pre", () => undefined)).toThrow(refusal);
    expect(host.tools().map(({ name }) => name)).toEqual(["look"]);
  });

  test("has its cleanups run at once, and one that fails is logged", async () => {
    let runs = 0;
    const { undo } = await late(() => void runs++);
    expect(runs).toBe(1);
    expect(undo()).toBeUndefined();

    const err = new Error("stuck");
    const failed = await late(() => Promise.reject(err));
    await new Promise((resolve) => setImmediate(resolve));
    expect(failed.warned).toEqual([
      { fields: { err: expect.objectContaining({ message: "stuck" }) }, text: "a cleanup failed" },
    ]);
  });
});
