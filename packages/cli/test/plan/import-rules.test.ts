import { expect, test } from "vitest";
import { workspace } from "../support/workspace.ts";

const settings = `{
  // what this project allows
  "permissions": {
    "allow": ["Bash(git:*)", "Read(./docs/**)"],
    "ask": ["Bash(git push:*)"],
    "deny": ["Bash(rm:*)", "WebFetch", "Read(~/.ssh/**)"],
  },
}`;
const plan = `version: 1
# the shell
tools:
  - module: bash # of this machine
    config: { working_dir: . }
  - module: web
`;

test("import adds the rules of Claude Code's settings to a plan, which then decides by them", async () => {
  const { here: run, read } = await workspace({ ".claude/settings.json": settings, "plan.yaml": plan });
  const imported = await run(["import", ".claude/settings.json", "plan.yaml"]);
  const why = (command: string) =>
    run(["why", "plan.yaml", "bash", "--json", "--arguments", JSON.stringify({ command })]);
  const verdicts = await Promise.all(["git status", "git push origin", "cd x && rm y"].map(why));
  const again = await run(["import", ".claude/settings.json", "plan.yaml", "--json"]);
  const text = await read("plan.yaml");

  expect(imported.code, imported.stderr).toBe(0);
  expect(imported.stdout).toContain("left out Read(~/.ssh/**) (its pattern has no equal)");
  expect(text).toContain("# the shell\n");
  expect(text).toContain("- module: bash # of this machine\n");
  expect(verdicts.map(({ json }) => (json() as { tools: { verdict: object }[] }).tools[0]!.verdict)).toEqual([
    expect.objectContaining({ answer: "allow" }),
    expect.objectContaining({ answer: "ask" }),
    expect.objectContaining({ answer: "deny" }),
  ]);
  expect(again.json()).toMatchObject({ added: [], kept: expect.arrayContaining(["deny web_fetch"]) });
});
