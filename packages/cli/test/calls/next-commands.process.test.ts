import { once } from "node:events";
import { expect, test } from "vitest";
import { planOf, removingTool, workspace } from "../support/workspace.ts";

const remove = removingTool();
const files = { "plan.yaml": planOf("./remove.ts"), "remove.ts": remove };

test("a pending call shows the commands to type next, and the beginning of an id is enough", async () => {
  const { here: run } = await workspace(files);
  const asked = await run(["call", "plan.yaml", "remove", "path=a", "--session", "s 1", "--user", "ada"]);
  const [, resume = ""] = /toolmount (resume .+)\n/.exec(asked.stdout) ?? [];
  const { waiting } = (await run(["approvals", "list", "plan.yaml", "--json"])).json() as {
    waiting: { id: string }[];
  };
  const approved = await run(["approvals", "approve", waiting[0]!.id.slice(0, 8), "plan.yaml"]);
  const words = [...resume.matchAll(/'([^']*)'|(\S+)/g)].map(([, inner, plain]) => inner ?? plain!);

  expect([asked.code, asked.stdout]).toEqual([
    3,
    expect.stringContaining("toolmount approvals list plan.yaml"),
  ]);
  expect(words.slice(2)).toEqual(["plan.yaml", "--session", "s 1", "--user", "ada"]);
  expect(approved.code, approved.stderr).toBe(0);
  expect(await run(words)).toMatchObject({ code: 0, stdout: expect.stringContaining("gone: a") });
});

test("an invalid ticket says what it must be resumed with", async () => {
  const { here: run } = await workspace(files);
  const { code, stderr } = await run(["resume", "nothing", "plan.yaml"]);

  expect([code, stderr]).toEqual([1, expect.stringMatching(/TICKET_INVALID[\s\S]*hint: .*--session/)]);
});

test("approvals alone is its list", async () => {
  const { here: run } = await workspace({ ...files, "mount-plan.yaml": files["plan.yaml"] });

  expect(await run(["approvals"])).toMatchObject({
    code: 0,
    stdout: "0 questions, 0 remembered approvals\n",
  });
});

test("audit --follow shows records as they are written, and ends with Ctrl-C", async () => {
  const { here: run, start } = await workspace({
    "plan.yaml": `${planOf("./remove.ts")}state: sqlite:./state.db\naudit: durable\n`,
    "remove.ts": remove,
  });
  await run(["call", "plan.yaml", "remove", "path=a", "--approve"]);
  const { child, ended } = start(["audit", "plan.yaml", "--follow", "--json"]);
  let shown = "";
  child.stdout!.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  const ends = () => shown.match(/"kind":"end"/g)?.length ?? 0;
  while (ends() < 1) await once(child.stdout!, "data");
  await run(["call", "plan.yaml", "remove", "path=b", "--approve"]);
  while (ends() < 2) await once(child.stdout!, "data");
  child.kill("SIGINT");
  const { stdout } = await ended;

  expect(stdout.match(/"kind":"start"/g)).toHaveLength(2);
});
