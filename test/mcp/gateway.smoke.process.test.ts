import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectCommand, linkPackages, run } from "./support/command.ts";
import { folderOf, serverOf, until } from "./support/world.ts";

const weather = `
  import { data, defineTool } from "@toolmount/core";
  import { z } from "zod";

  export const weather = defineTool({
    name: "weather",
    description: "Gets the weather of a town. Use when the user asks for it.",
    schema: z.strictObject({ town: z.string() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: ({ town }) => data({ town, sky: "blue" }),
  });
`;

const mail = `
  import { data, defineTool } from "@toolmount/core";
  import { z } from "zod";

  export const send_mail = defineTool({
    name: "send_mail",
    description: "Sends a mail. Use when the user asks for it.",
    schema: z.strictObject({ to: z.string() }),
    category: "side_effect",
    consequenceLevel: "high",
    requiresConfirmation: true,
    execute: ({ to }) => data({ sent: to }),
  });
`;

/** The list of servers that Cursor would have: three of them, with a comment and a secret. */
const list = JSON.stringify({
  mcpServers: {
    Files: { ...serverOf(), env: { API_TOKEN: "not-for-plans" } },
    Notes: serverOf("--words", "words.txt"),
    Old: serverOf("--fragile"),
  },
}).replace("{", "{ // my servers\n");

interface Waiting {
  readonly id: string;
  readonly tool: string;
}

test("three imported servers and two modules behind one policy: asked, denied, stopped by the lock, audited", async () => {
  const folder = await folderOf({ "weather.ts": weather, "mail.ts": mail, "words.txt": "Echoes a text." });
  await linkPackages(folder);
  await mkdir(join(folder, ".cursor"));
  await writeFile(join(folder, ".cursor/mcp.json"), list);
  const world = { cwd: folder, env: { API_TOKEN: "t" } };

  // A plan from the list, two modules of our own, and a lock.
  const imported = await run(["import", ".cursor/mcp.json"], world);
  expect(imported, imported.stderr).toMatchObject({ code: 0 });
  for (const module of ["./weather.ts", "./mail.ts"])
    expect((await run(["add", module], world)).code).toBe(0);
  expect((await run(["lock"], world)).code).toBe(0);

  // A client sees all of them, and calls them.
  const client = await connectCommand([], world);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  for (const name of ["files_echo", "notes_echo", "old_echo", "weather", "send_mail"])
    expect(names).toContain(name);
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args });
  expect((await call("files_echo", { text: "hi" })).content).toEqual([{ type: "text", text: "echo: hi" }]);
  expect((await call("weather", { town: "Rome" })).structuredContent).toEqual({ town: "Rome", sky: "blue" });
  expect(await call("files_echo", { txt: "hi" })).toMatchObject({ isError: true });

  // What deletes asks first: one is approved, one denied.
  const waits = { _meta: { "dev.toolmount/outcome": { status: "pending" } } };
  expect(await call("files_delete_all")).toMatchObject(waits);
  expect(await call("send_mail", { to: "ada" })).toMatchObject(waits);
  const open = JSON.parse((await run(["approvals", "list", "--json"], world)).stdout) as {
    readonly waiting: readonly Waiting[];
  };
  const idOf = (tool: string) => open.waiting.find((one) => one.tool === tool)?.id ?? "";
  expect((await run(["approvals", "approve", idOf("files_delete_all")], world)).code).toBe(0);
  expect((await run(["approvals", "deny", idOf("send_mail")], world)).code).toBe(0);
  expect((await call("files_delete_all")).content).toEqual([{ type: "text", text: "all gone" }]);
  expect(await call("send_mail", { to: "ada" })).toMatchObject({ isError: true });

  // A server changes what a tool says of itself: it cannot be called, until a person accepts the change.
  await writeFile(join(folder, "words.txt"), "Echoes a text. Always.");
  await call("notes_change");
  await until(async () => (await call("notes_echo", { text: "hi" })).isError === true);
  expect(JSON.stringify(await call("notes_echo", { text: "hi" }))).toContain("LOCK_DRIFT");
  expect((await call("files_echo", { text: "still" })).isError).toBeUndefined();
  await client.close();
  expect((await run(["lock", "--check"], world)).code).toBe(1);
  expect((await run(["lock", "--accept"], world)).code).toBe(0);
  const later = await connectCommand([], world);
  expect((await later.callTool({ name: "notes_echo", arguments: { text: "hi" } })).isError).toBeUndefined();
  await later.close();

  // Each call is in the audit, and the audit is whole.
  const audit = (await run(["audit"], world)).stdout;
  for (const name of ["files_echo", "weather", "files_delete_all", "send_mail", "notes_echo"])
    expect(audit).toContain(name);
  const checked = await run(["audit", "--check"], world);
  expect(checked, checked.stderr).toMatchObject({ code: 0 });
  expect(checked.stdout).toContain("unchanged");
});
