import { expect, test } from "vitest";
import { oneTool, workspace } from "../support/workspace.ts";

const json = {
  name: "acme-later",
  version: "1.0.0",
  type: "module",
  exports: "./index.ts",
  toolmount: { type: "tool", contract: 2, mounts: ["tools"] },
};

test("CARD-10: check, doctor, list and a call name the package that was written for a contract of later", async () => {
  const { here, folder } = await workspace({
    "later/package.json": JSON.stringify(json),
    "later/index.ts": oneTool({
      name: "greet",
      schema: "name: z.string()",
      body: "return data(params.name);",
    }),
    "plan.yaml": "version: 1\ntools:\n  - module: ./later\n",
  });
  const commands = [["check"], ["doctor"], ["list"], ["call", "greet", "{}"]];
  for (const [name = "", ...more] of commands) {
    const { code, stdout, stderr } = await here([name, "plan.yaml", ...more]);
    expect({ name, code }).toEqual({ name, code: 78 });
    const said = (stdout + stderr).replaceAll(folder, "").replaceAll(/\s+/g, " ");
    expect(said).toContain(
      '"acme-later" was written for version 2 of the tool contract, and this host speaks version 1',
    );
    expect(said).toContain("plan.yaml:3");
  }
});
