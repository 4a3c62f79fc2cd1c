import { expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, type HostOptions, type ToolDefinition, type ToolShape } from "../../src/index.ts";
import { lockDigest } from "../../src/registry/lock-digest.ts";
import { logged } from "../logged-host.ts";
import { tool } from "../world.ts";

const described = "Does what a test needs. Use it in tests. Not for anything else.";

test("what others see of a tool has a default for each fact that its author left out", () => {
  const host = createHost();
  host.coordinator.mount("tools", tool());

  expect({ ...host.tools()[0] }).toStrictEqual({
    name: "probe",
    declaredName: "probe",
    description: described,
    inputSchema: { type: "object", properties: {}, additionalProperties: {} },
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    timeoutMs: 15_000,
    execution: "server",
    alwaysOffered: false,
    status: "active",
    tags: [],
    dependsOn: [],
    idempotent: false,
    dynamic: false,
    origin: "toolmount",
    aliases: [],
    owner: "host",
  });
});

test("and each fact that he gave, with copies of his lists", async () => {
  const { host, mountIn, commit } = logged();
  const lists = { tags: ["a"], dependsOn: ["b"], control: ["to"], content: ["body"], modes: ["plan"] };
  mountIn(
    "mail",
    {
      ...tool(),
      ...lists,
      outputSchema: z.object({ sent: z.boolean() }),
      requiresConfirmation: () => true,
      timeout: 7,
      usage: "Long guidance.",
      summary: "Sends.",
      question: "Send to {to}?",
      version: "1.2.3",
      execution: "client",
      alwaysOffered: true,
      status: "deprecated",
      idempotent: true,
      dynamic: true,
      origin: "forge",
      undo: () => data(null),
      idempotentUndo: true,
      preview: () => ({ effects: [], result: data(null) }),
    },
    { name: "send" },
    "post",
  );
  await commit();
  const [info] = host.tools({ includeDeprecated: true });
  for (const list of Object.values(lists)) list.push("later");

  expect({ ...info }).toStrictEqual({
    name: "send",
    declaredName: "probe",
    description: described,
    inputSchema: { type: "object", properties: {}, additionalProperties: {} },
    outputSchema: expect.objectContaining({
      type: "object",
      properties: { sent: { type: "boolean" } },
    }) as object,
    category: "read",
    consequenceLevel: "low",
    usage: "Long guidance.",
    summary: "Sends.",
    question: "Send to {to}?",
    modes: ["plan"],
    version: "1.2.3",
    requiresConfirmation: "dynamic",
    timeoutMs: 7,
    execution: "client",
    alwaysOffered: true,
    status: "deprecated",
    tags: ["a"],
    dependsOn: ["b"],
    idempotent: true,
    undoable: true,
    idempotentUndo: true,
    previews: true,
    control: ["to"],
    content: ["body"],
    dynamic: true,
    origin: "forge",
    aliases: ["post"],
    owner: "mail",
  });
  expect(Object.isFrozen(info)).toBe(true);
  expect(Object.isFrozen(info!.tags) && Object.isFrozen(info!.control)).toBe(true);
});

test("facts that are given as false are as those that are left out, and irreversible is one", () => {
  const host = createHost();
  host.coordinator.mount("tools", tool(undefined, { idempotentUndo: false, irreversible: false }));
  host.coordinator.mount("tools", tool(undefined, { name: "send", irreversible: true }));
  const [probe, send] = host.tools();

  for (const key of ["undoable", "idempotentUndo", "irreversible", "previews", "control", "content"])
    expect(probe).not.toHaveProperty(key);
  expect(send).toMatchObject({ irreversible: true });
});

test.each<[string, ToolShape, Partial<ToolDefinition>, HostOptions, number]>([
  ["the plan's", { limits: { timeoutMs: 3 } }, { timeout: 5 }, { limits: { timeoutMs: 9 } }, 3],
  ["the author's", {}, { timeout: 5 }, { limits: { timeoutMs: 9 } }, 5],
  ["the author's, 0 for none", {}, { timeout: 0 }, { limits: { timeoutMs: 9 } }, 0],
  ["the host's", {}, {}, { limits: { timeoutMs: 9 } }, 9],
  ["15 seconds", {}, {}, {}, 15_000],
])("the timeout of a tool is %s", async (_, shape, fields, options, timeoutMs) => {
  const { host, mountIn, commit } = logged(options);
  mountIn("a", tool(undefined, fields as object), shape);
  await commit();

  expect(host.tools()[0]!.timeoutMs).toBe(timeoutMs);
});

test("the digest of a lock does not depend on the owner, nor on the order of sets", () => {
  const host = createHost();
  host.coordinator.mount("tools", tool(undefined, { tags: ["a", "b"], modes: ["x", "y"] }));
  const info = host.tools()[0]!;
  const digest = lockDigest(info);
  const schema = { type: "object", required: ["a", "b"], properties: { list: { enum: ["p", "q"] } } };
  const other = { type: "object", properties: { list: { enum: ["q", "p"] } }, required: ["b", "a"] };

  expect(lockDigest({ ...info, owner: "other", tags: ["b", "a"], modes: ["y", "x"] })).toBe(digest);
  expect(lockDigest({ ...info, inputSchema: schema })).toBe(lockDigest({ ...info, inputSchema: other }));
  expect(lockDigest({ ...info, control: ["a", "b"] })).not.toBe(lockDigest({ ...info, control: ["b", "a"] }));
  expect(lockDigest({ ...info, description: "Other." })).not.toBe(digest);
  const dynamic = { ...info, dynamic: true, usage: "u", summary: "s" };
  expect(lockDigest({ ...dynamic, description: "Other.", usage: "v", summary: "t" })).toBe(
    lockDigest(dynamic),
  );
  expect(lockDigest({ ...dynamic, category: "delete" })).not.toBe(lockDigest(dynamic));
});
