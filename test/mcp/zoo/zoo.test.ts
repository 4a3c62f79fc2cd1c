import { expect, test } from "vitest";
import { compareTable } from "../support/compatibility.ts";
import { clientRows } from "./client-rows.ts";
import { rows } from "./rows.ts";
import { tokenRows } from "./token-rows.ts";

test("docs/reference/mcp-compatibility.md has the rows of the zoo; TOOLMOUNT_WRITE=1 writes them", async () => {
  expect(new Set(rows.map(({ server }) => server)).size).toBe(rows.length);
  const head = ["where people met it", "what the server does", "what the host reads"];
  const cells = rows.map(({ thread, server, host }) => [thread, server, host]);
  await compareTable("zoo", head, cells);
});

test("the page has the rows of sign-ins, too", async () => {
  const all = [...clientRows, ...tokenRows];
  expect(new Set(all.map(({ server }) => server)).size).toBe(all.length);
  const head = ["where people met it", "what the server does", "what the host does"];
  const cells = all.map(({ thread, server, host }) => [thread, server, host]);
  await compareTable("sign-ins", head, cells);
});
