import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

test("O6: lock records the tools; a tool that changes is reported and cannot be called until it is accepted", async () => {
  const greet = (schema: string) => oneTool({ name: "greet", schema, body: "return data(params.name);" });
  const { run, read, folder } = await workspace({
    "plan.yaml": planOf("./greet.ts"),
    "greet.ts": greet("name: z.string()"),
  });
  const call = () => run(["call", "plan.yaml", "greet", '{"name":"Ada"}', "--json"]);
  const locked = await run(["lock", "plan.yaml"]);
  const checked = await run(["lock", "plan.yaml", "--check"]);

  expect([locked.code, locked.stdout]).toEqual([0, "✔ plan.lock.json is written\n"]);
  expect([checked.code, checked.stdout]).toEqual([0, "✔ plan.lock.json matches\n"]);
  expect(JSON.parse(await read("plan.lock.json"))).toMatchObject({
    version: 1,
    tools: { greet: { module: "./greet.ts" } },
  });
  expect((await call()).code).toBe(0);

  await writeFile(`${folder}/greet.ts`, greet("name: z.string(), secret: z.string().optional()"));
  const drifted = await run(["lock", "plan.yaml", "--check"]);
  expect([drifted.code, drifted.stdout]).toEqual([
    1,
    `  changed greet  ./greet.ts
    inputSchema.properties.secret
      + {
      +   "type": "string"
      + }
✖ 1 tool changed since plan.lock.json; review, then run toolmount lock --accept
`,
  ]);
  const seen = await run(["check", "plan.yaml"]);
  expect([seen.code, seen.stdout]).toEqual([0, expect.stringContaining("inputSchema.properties.secret")]);
  const diagnosed = await run(["doctor", "plan.yaml"]);
  expect([diagnosed.code, diagnosed.stdout]).toEqual([
    1,
    expect.stringContaining("1 tool changed since the lock"),
  ]);
  expect((await call()).json()).toMatchObject({ status: "denied", result: { code: "LOCK_DRIFT" } });
  expect((await run(["lock", "plan.yaml", "--accept"])).code).toBe(0);
  expect((await call()).code).toBe(0);
});
