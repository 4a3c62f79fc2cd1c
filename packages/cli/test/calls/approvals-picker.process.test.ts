import { expect, test, vi } from "vitest";
import { atTerminal, keys } from "../support/terminal.ts";
import { planOf, removingTool, workspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

const remove = removingTool();

test("approvals alone at a terminal lets a person choose a question and answer it with a key", async () => {
  const { folder, run } = await workspace({ "mount-plan.yaml": planOf("./remove.ts"), "remove.ts": remove });
  const ticketOf = async (path: string) =>
    ((await run(["call", "remove", `path=${path}`, "--json"])).json() as { ticket: string }).ticket;
  const tickets = [await ticketOf("a.txt"), await ticketOf("b.txt")];
  const terminal = atTerminal(["approvals"], { cwd: folder, columns: 80, rows: 60 });
  await terminal.until(/Which question\?/);
  terminal.press(keys.enter);
  await terminal.until(/path {2}[ab]\.txt[\s\S]*Approve remove\?[\s\S]*└ {2}Press /);
  terminal.press("y");
  await terminal.until(/remove is approved[\s\S]*Which question\?/);
  terminal.press(keys.enter);
  await terminal.until(/Approve remove\?[\s\S]*Approve remove\?[\s\S]*└ {2}Press /);
  terminal.press("n");
  await terminal.until(/remove is denied[\s\S]*no question waits/);

  expect(await terminal.ended).toBe(0);
  const ends = await Promise.all(tickets.map((ticket) => run(["resume", ticket, "--json"])));
  const statuses = ends.map(({ json }) => json()["status"]);
  expect(statuses).toHaveLength(2);
  expect(new Set(statuses)).toEqual(new Set(["denied", "ok"]));
});
