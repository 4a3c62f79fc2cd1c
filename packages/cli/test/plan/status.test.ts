import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const greet = oneTool({ name: "greet", body: "return data(1);" });

test("status shows the state of each module, and what failed", async () => {
  const plan = `${planOf("./greet.ts")}  - { module: ./gone.ts, required: false }\n`;
  const { here: run } = await workspace({ "mount-plan.yaml": plan, "greet.ts": greet });
  const { code, stdout } = await run(["status"]);

  expect(code).toBe(1);
  expect(stdout).toMatch(/\.\/greet\.ts +mounted +tools +– +greet\n/);
  expect(stdout).toMatch(/\.\/gone\.ts +failed/);
  expect(stdout).toContain("SOURCE_NOT_FOUND");
});

test("status --verbose shows the time of each step", async () => {
  const { here: run } = await workspace({ "mount-plan.yaml": planOf("./greet.ts"), "greet.ts": greet });
  const { code, stdout } = await run(["status", "--verbose"]);
  const asJson = await run(["status", "--verbose", "--json"]);

  expect(code).toBe(0);
  expect(stdout).toContain("mount-plan.yaml: 1 module, and 1 for its sections and their needs\n");
  expect(stdout).toMatch(/└─ \.\/greet\.ts [\d.]+ ms \(.*import [\d.]+.*mount [\d.]+\)/);
  expect(asJson.json()).toMatchObject({
    tree: [{ id: "./greet.ts", needs: [{ id: "@toolmount/interop", needs: [] }] }],
  });
});
