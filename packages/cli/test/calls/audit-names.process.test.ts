import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const pay = oneTool({ name: "pay", confirm: "true", body: 'return data("paid");' });
const env = { USER: "ada" };

test("a plan with state keeps the default audit, which names the system's user as who decided", async () => {
  const plan = `${planOf("./pay.ts")}state: sqlite:./state.db\n`;
  const { run } = await workspace({ "pay.ts": pay, "mount-plan.yaml": plan });
  const who = ["--user", "alice", "--session", "s1", "--json"];
  const asked = await run(["call", "pay", ...who], { env });
  expect(asked.code, asked.stderr).toBe(3);
  const { ticket } = asked.json() as { ticket: string };
  const listed = await run(["approvals", "list", "--json"], { env });
  const { waiting } = listed.json() as { waiting: { id: string }[] };
  expect((await run(["approvals", "approve", waiting[0]!.id], { env })).code).toBe(0);
  expect((await run(["resume", ticket, ...who], { env })).code).toBe(0);

  const { code, stdout } = await run(["audit"]);
  const rows = stdout.trimEnd().split("\n");
  expect(code).toBe(0);
  expect(rows.at(-1)).toMatch(
    /^just now {2}pay\(\) +alice +asked: confirmation; approved by ada +ok \d+ ms$/,
  );
  expect(stdout).not.toContain("the person at the terminal");
});

test("call without a tool says what is missing, and how to list the tools", async () => {
  const { here: run } = await workspace({ "pay.ts": pay, "mount-plan.yaml": planOf("./pay.ts") });
  const { code, stderr } = await run(["call"]);

  expect(code).toBe(2);
  expect(stderr).toContain("toolmount list");
  expect(stderr).not.toContain("'words'");
});

test("the whole help has its commands in groups, and names the environment variables and the pages", async () => {
  const { here: run } = await workspace({});
  const { stdout } = await run(["help", "--all"]);

  expect(stdout.match(/^\S.*:$/gm)!.length).toBeGreaterThan(3);
  expect(stdout).toContain("NO_COLOR");
  expect(stdout).toContain("docs/");
});

test("audit prune deletes the records of processes that wrote nothing for so many days, and the rest can be checked", async () => {
  const plan = `${planOf("./pay.ts")}state: sqlite:./state.db\naudit: durable\n`;
  const { here: run, folder } = await workspace({ "pay.ts": pay, "mount-plan.yaml": plan });
  const call = async () => expect((await run(["call", "pay"], { env })).code).toBe(3);
  await call();
  const { length } = (await run(["audit", "--json"])).json() as { length: number };
  await makeOlder(`${folder}/state.db`, 31);
  await call();

  const { stdout, stderr } = await run(["audit", "prune", "30"]);
  expect([stdout, stderr]).toEqual([`${length} record${length === 1 ? "" : "s"} deleted\n`, ""]);
  expect((await run(["audit", "prune", "30", "--json"])).json()).toEqual({ deleted: 0 });
  expect((await run(["audit", "--check"])).stdout).toBe(
    `${length} record${length === 1 ? "" : "s"}, unchanged\n`,
  );
});

/** Makes all records of an audit older, as their store sees them. */
async function makeOlder(file: string, days: number): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(file);
  db.prepare("UPDATE audit SET at = at - ?").run(days * 86_400_000);
  db.close();
}

test("audit names the nearest tool for one that neither the plan nor a call has; a removed tool keeps its calls", async () => {
  const plan = `${planOf("./pay.ts")}state: sqlite:./state.db\naudit: durable\n`;
  const { here: run, write } = await workspace({ "pay.ts": pay, "mount-plan.yaml": plan });
  expect((await run(["call", "pay"], { env })).code).toBe(3);
  expect((await run(["approvals", "list"])).stdout).toMatch(/^ {2}asked just now, ends in 6 d$/m);

  const wrong = await run(["audit", "--tool", "pya"]);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('there is no tool "pya"; did you mean "pay"?') as string,
  ]);
  await write("pay.ts", pay.replaceAll("pay", "refund"));
  const { code, stdout } = await run(["audit", "--tool", "pay"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("pay()") as string]);
});
