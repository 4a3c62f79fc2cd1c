import { readFile } from "node:fs/promises";
import { createHost, data, defineTool, type ToolAdapter } from "@toolmount/core";
import {
  createEventRecorder,
  createMockContext,
  createReadyCoordinator,
  createScriptedApprover,
  createTestCoordinator,
  createWorkspace,
  MockTool,
  runScript,
  waitFor,
} from "@toolmount/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const note = defineTool({
  name: "read_note",
  description: "Reads one note. Use when the user names one, not for folders.",
  schema: z.strictObject({ path: z.string() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: true,
  execute: ({ path }) => data(path),
});

test("AMP-22, AMP-23: a mock tool answers with its value, and reports how often and with what it was called", async () => {
  const tool = new MockTool({ name: "mock", description: "A mock.", returnValue: { a: 1 } });
  expect(tool.callCount).toBe(0);
  await tool.execute({ first: true });

  expect(await tool.execute({ second: true })).toEqual({ success: true, output: { a: 1 }, error: null });
  expect(tool.callCount).toBe(2);
  expect(tool.lastInput).toEqual({ second: true });
});

test("a mock tool may answer with a whole result", async () => {
  const tool = new MockTool({ name: "mock", returnValue: { success: false, error: { message: "no" } } });

  expect(await tool.execute({})).toEqual({ success: false, output: null, error: { message: "no" } });
});

test("AMP-N60: a test coordinator is a real one that remembers what was mounted and unmounted", () => {
  const coordinator = createTestCoordinator();
  coordinator.mount("tools", note);
  coordinator.unmount("tools", "read_note");

  expect(coordinator.history).toEqual([
    { action: "mount", point: "tools", name: "read_note", thing: note },
    { action: "unmount", point: "tools", name: "read_note" },
  ]);
  expect(coordinator.mountedTools).toEqual([note]);
  expect(coordinator.host.tools()).toEqual([]);
});

test("a mock tool mounts where an adapter knows its shape", async () => {
  const adapter: ToolAdapter = {
    name: "mock",
    recognises: (thing) => thing instanceof MockTool,
    adapt: (thing) => {
      const tool = thing as MockTool;
      return {
        ...note,
        requiresConfirmation: false,
        name: tool.name,
        schema: z.object({}),
        execute: async (input) => data((await tool.execute(input)).output),
      };
    },
  };
  const coordinator = createTestCoordinator();
  coordinator.mount("adapters", adapter);
  const tool = new MockTool({ name: "mock", returnValue: 7 });
  coordinator.mount("tools", tool);

  expect((await coordinator.host.call({ name: "mock" })).result.data).toBe(7);
  expect(tool.callCount).toBe(1);
});

test("AMP-N60: a ready coordinator has a tool that echoes and one that fails", async () => {
  const { host } = createReadyCoordinator();

  expect(
    await runScript(host, [
      { name: "echo", arguments: { text: "hi" } },
      { name: "fail", arguments: { text: "no" } },
      { name: "echo" },
    ]),
  ).toMatchObject([
    { status: "ok", result: { data: "hi" } },
    { status: "failed", result: { error: "no" } },
    { status: "invalid" },
  ]);
});

test("AMP-N60: an event recorder keeps events in order, and replaces a hook registry", async () => {
  const { host, hooks } = createReadyCoordinator();
  const recorder = createEventRecorder(hooks);
  await host.call({ name: "echo", arguments: { text: "hi" } });
  expect(recorder.names).toEqual(["tool:pre", "tool:post"]);
  expect(recorder.of("tool:post")).toMatchObject([{ tool_name: "echo", tool_result: { data: "hi" } }]);
  recorder.stop();
  recorder.clear();
  await host.call({ name: "echo", arguments: { text: "hi" } });
  expect(recorder.events).toEqual([]);

  const alone = createEventRecorder();
  expect(await alone.emit("my:event", { a: 1 })).toEqual({ action: "continue", data: { a: 1 } });
  expect(alone.events).toEqual([{ event: "my:event", data: { a: 1 } }]);
});

test("a scripted approver answers in order, keeps the questions, and denies beyond its script", async () => {
  const approver = createScriptedApprover([
    "approve",
    { decision: "deny", reason: "no" },
    ({ tool }) => ({ decision: tool.name === "read_note" ? "approve" : "deny" }),
  ]);
  const host = createHost({ approver });
  host.coordinator.mount("tools", note);
  const call = { name: "read_note", arguments: { path: "a" } };
  const outcomes = await runScript(host, [call, call, call, call]);

  expect(outcomes.map(({ status }) => status)).toEqual(["ok", "denied", "ok", "denied"]);
  expect(approver.questions).toHaveLength(4);
  expect(approver.questions[0]).toMatchObject({ tool: { name: "read_note" }, arguments: { path: "a" } });
});

test("AMP-N60: a mock context keeps messages", async () => {
  const context = createMockContext();
  await context.add_message({ role: "user", content: "hi" });

  expect(await context.get_messages()).toEqual([{ role: "user", content: "hi" }]);
  await context.clear();
  expect(context.messages).toEqual([]);
});

test("a workspace is a folder of its own, and is gone afterwards", async () => {
  let path: string;
  {
    await using workspace = await createWorkspace({ "a/b.txt": "text" });
    path = await workspace.write("c.txt", "more");
    expect([await workspace.read("a/b.txt"), await readFile(path, "utf8")]).toEqual(["text", "more"]);
  }
  await expect(readFile(path)).rejects.toMatchObject({ code: "ENOENT" });
});

test("AMP-N60: waitFor waits for something to be there, and says when it never was", async () => {
  let looks = 0;

  expect(await waitFor(() => (++looks > 3 ? looks : undefined))).toBe(4);
  await expect(waitFor(() => null, { timeoutMs: 20 })).rejects.toThrow("within 20 ms");
});
