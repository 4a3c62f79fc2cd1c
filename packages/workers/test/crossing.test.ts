import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { capabilityOf, shapeOf } from "../src/far/crossing.ts";
import { farMessage } from "../src/far/far-message.ts";

const reserved = ["then", "toJSON", "toString", "valueOf", "constructor", "__proto__", "x".repeat(201), ""];

test.each(reserved)(
  "a capability with the method %j does not cross, and a forged message with it is refused",
  (method) => {
    const capability = Object.defineProperty({}, method, { value: () => 1, enumerable: true });
    const shape = { value: {}, methods: [method] };
    const forged = { type: "mounted", keepsState: false, capabilities: [{ name: "acme.notes", shape }] };

    expect(() => shapeOf("acme.notes", capability)).toThrow(
      /acme\.notes cannot cross a border: it has a method/,
    );
    expect(farMessage.safeParse(forged).success).toBe(false);
    const allowed = {
      ...forged,
      capabilities: [{ name: "acme.notes", shape: { value: {}, methods: ["add"] } }],
    };
    expect(farMessage.safeParse(allowed).success).toBe(true);
  },
);

test("a capability whose other side fails does not end a process that waits for no answer", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const failure = new Error("the process has ended");
  const notes = capabilityOf("acme.notes", { value: {}, methods: ["add"] }, () =>
    Promise.reject(failure),
  ) as {
    readonly add: (given: unknown) => Promise<unknown>;
  };
  void notes.add("a");
  void notes.add(() => 1);
  await setImmediate();

  expect(unhandled).toEqual([]);
  await expect(notes.add("a")).rejects.toBe(failure);
  await expect(notes.add(() => 1)).rejects.toThrow("argument 1 of acme.notes.add cannot cross a border");
});
