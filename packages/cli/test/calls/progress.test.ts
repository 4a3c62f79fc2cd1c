import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTerminal } from "../support/terminal.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const wait = oneTool({
  name: "wait",
  schema: "file: z.string()",
  body: `
    const { existsSync } = await import("node:fs");
    while (!existsSync(params.file)) await new Promise((resolve) => setTimeout(resolve, 20));
    return data({ waited: true });`,
});

test("a line says which call runs, and is removed before the outcome", async () => {
  const { folder } = await workspace({ "wait.ts": wait, "plan.yaml": planOf("./wait.ts") });
  const file = join(folder, "ready");
  const terminal = atTerminal(["call", "plan.yaml", "wait", `file=${file}`], { cwd: folder });
  await terminal.until(/^. wait \d+ s$/m);
  writeFileSync(file, "");

  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toMatch(/✔ ok wait/);
  expect(terminal.text()).not.toMatch(/^. wait \d+ s$/m);
});

test("checking a plan whose module starts slowly says that it is checked", async () => {
  const { folder } = await workspace({
    "slow.ts": `import { existsSync } from "node:fs";
while (!existsSync(new URL("ready", import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 20));
${wait}`,
    "plan.yaml": planOf("./slow.ts"),
  });
  const terminal = atTerminal(["check", "plan.yaml"], { cwd: folder });
  await terminal.until(/^. checking the plan \d+ s$/m);
  writeFileSync(join(folder, "ready"), "");

  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).not.toContain("checking the plan");
});
