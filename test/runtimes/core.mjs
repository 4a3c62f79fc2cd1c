// What any runtime must do with core alone: no file, no process, no socket.
import { changedSince, createHost, createMemoryStore, data, defineTool, failure } from "@toolmount/core";
import { z } from "zod";
import { equal } from "./checks.mjs";

const base = { category: "read", consequenceLevel: "low", requiresConfirmation: false };

function open(...tools) {
  const host = createHost({ store: createMemoryStore() });
  for (const tool of tools) host.coordinator.mount("tools", tool);
  return host;
}

const addition = {
  ...base,
  name: "add",
  description: "Adds two numbers. Use it in tests.",
  schema: z.strictObject({ left: z.number(), right: z.number().default(1) }),
  execute: ({ left, right }) => data(left + right),
};
const add = defineTool(addition);

/** A tool whose calls ask, and whose changes are undone. */
function noteTool(notes) {
  return defineTool({
    ...base,
    name: "note",
    description: "Sets a note. Use it in tests.",
    category: "write",
    schema: z.strictObject({ key: z.string(), text: z.string() }),
    preview: ({ key, text }) => ({ effects: [{ target: key, change: "change" }], result: data(text) }),
    async execute({ key, text }, { undoable }) {
      await undoable?.({ key, before: notes.get(key) ?? null, after: text });
      notes.set(key, text);
      return data(text);
    },
    undo({ data: { key, before, after } }) {
      if (notes.get(key) !== after) return changedSince("it has another text");
      if (before === null) notes.delete(key);
      else notes.set(key, before);
      return data(key);
    },
  });
}

/** Each check by its name; it throws when the runtime fails it. */
export const checks = {
  async "a call, and its arguments as JSON text"() {
    const host = open(add);
    equal((await host.call({ name: "add", arguments: { left: 2, right: 3 } })).result.data, 5);
    equal((await host.call({ name: "add", arguments: '{"left":2}' })).result.data, 3);
  },
  async "wrong arguments, and an unknown tool"() {
    const host = open(add);
    const wrong = await host.call({ name: "add", arguments: { left: "two" } });
    equal([wrong.status, wrong.result.code], ["invalid", "INVALID_ARGUMENTS"]);
    equal((await host.call({ name: "ad" })).result.code, "TOOL_NOT_FOUND");
  },
  async "a tool that throws, and one that fails"() {
    const bad = defineTool({
      ...base,
      name: "bad",
      description: "Fails. Use it in tests.",
      schema: z.strictObject({ throws: z.boolean() }),
      execute: ({ throws }) => {
        if (throws) throw new Error("no luck");
        return failure("not today", { code: "LATER" });
      },
    });
    const host = open(bad);
    equal((await host.call({ name: "bad", arguments: { throws: true } })).status, "failed");
    equal((await host.call({ name: "bad", arguments: { throws: false } })).result.code, "LATER");
  },
  async "a deadline, a cancellation, and a hundred calls at once"() {
    const slow = defineTool({
      ...base,
      name: "slow",
      description: "Waits. Use it in tests.",
      timeout: 30,
      schema: z.strictObject({}),
      execute: (_, { abortSignal }) =>
        new Promise((_resolve, reject) =>
          abortSignal.addEventListener("abort", () => reject(new Error("stopped"))),
        ),
    });
    const host = open(slow, add);
    equal((await host.call({ name: "slow" })).status, "timed_out");
    const controller = new AbortController();
    const call = host.call({ name: "slow" }, { abortSignal: controller.signal });
    controller.abort();
    equal((await call).status, "cancelled");
    const all = Array.from({ length: 100 }, (_, left) => host.call({ name: "add", arguments: { left } }));
    equal((await Promise.all(all)).map(({ result }) => result.data).at(-1), 100);
  },
  async "a gate that denies, one that changes arguments, and observers"() {
    const host = open(add);
    const seen = [];
    host.coordinator.hooks.gate("tool:pre", (_, { tool_input: given }) =>
      given.left === 13 ? { action: "deny", reason: "unlucky" } : { action: "continue" },
    );
    host.coordinator.hooks.observe("tool:post", (_, { tool_name: name }) => void seen.push(name));
    equal((await host.call({ name: "add", arguments: { left: 13 } })).status, "denied");
    equal((await host.call({ name: "add", arguments: { left: 1 } })).status, "ok");
    await host.close();
    equal(seen, ["add"]);
  },
  async "a question that waits in a store, is decided, and is resumed"() {
    const ask = defineTool({ ...addition, name: "ask", requiresConfirmation: true });
    const host = open(ask);
    const session = host.session("s");
    const { status, ticket } = await session.call({ name: "ask", arguments: { left: 1 } });
    equal(status, "pending");
    const [question] = await host.approvals.list();
    await host.approvals.decide(question.id, "approve", "ada");
    const resumed = await session.resume(ticket);
    equal([resumed.status, resumed.result.error, resumed.result.data], ["ok", undefined, 2]);
  },
  async "a rehearsal, an approved list, and an undo"() {
    const notes = new Map();
    const host = open(noteTool(notes));
    const session = host.session("s");
    const rehearsal = session.rehearse();
    await rehearsal.call({ name: "note", arguments: { key: "a", text: "one" } });
    equal([rehearsal.calls.length, notes.size], [1, 0]);
    const approved = rehearsal.approve({ digest: rehearsal.digest, by: "ada" });
    await session.call({ name: "note", arguments: { key: "a", text: "one" } }, { approved });
    equal(notes.get("a"), "one");
    equal((await session.undo()).undone.length, 1);
    equal(notes.size, 0);
  },
};
