import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const tool = oneTool({ name: "note", schema: "text: z.string()", body: "return data(params.text);" });
const agent = (key: string) => `agent: { model: "anthropic:claude-test", apiKey: ${JSON.stringify(key)} }\n`;

test.each([`\${ANTHROPIC_API_KEY}`, `\${ANTHROPIC_API_KEY:-}`])(
  "a plan whose model has the key %s is checked, tested and called without it, and only the model needs it",
  async (key) => {
    const tests = "tests:\n  - call: { note: { text: a } }\n    expect: { answer: allow }\n";
    const plan = planOf("./note.ts") + agent(key) + tests;
    const { here } = await workspace({ "note.ts": tool, "mount-plan.yaml": plan });
    for (const words of [
      ["check"],
      ["test"],
      ["list"],
      ["why", "note", "text=a"],
      ["call", "note", "text=a"],
      ["approvals"],
    ]) {
      const { code, stdout, stderr } = await here(words);
      expect([code, stdout + stderr], words[0]).toEqual([0, expect.any(String)]);
    }
    const checked = await here(["check"]);
    expect(checked.stdout + checked.stderr).toContain("ANTHROPIC_API_KEY is not set");
    const asked = await here(["run", "Hello."]);
    expect(asked.code).not.toBe(0);
    expect(asked.stdout + asked.stderr).toContain("ANTHROPIC_API_KEY");
  },
);
