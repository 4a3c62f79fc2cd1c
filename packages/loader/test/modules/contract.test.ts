import { contractVersion, silentLogger } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { inspectPlan } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { installed, moduleSource, workspace } from "../workspace.ts";

/** A plan with one package that declares a version of the contract. */
async function planWith(contract: unknown, module = "@acme/tool") {
  const manifest = { type: "tool", mounts: ["tools"], contract };
  const subpath = { ".": "./index.js", "./more": "./index.js" };
  return workspace({
    ...installed("@acme/tool", `globalThis.ranContract = true;${moduleSource("answer")}`, {
      toolmount: manifest,
      exports: subpath,
    }),
    "plan.yaml": `version: 1\ntools:\n  - module: "${module}"\n`,
  });
}

const quiet = { logger: silentLogger };

describe("CARD-10: a package declares the version of the contract that it was written for", () => {
  test.each([[contractVersion], [undefined]])("CARD-10: one for version %s mounts", async (contract) => {
    const { path } = await planWith(contract);
    await using host = await openHost(path("plan.yaml"), quiet);

    expect(host.tools().map(({ name }) => name)).toEqual(["answer"]);
  });

  test.each([
    [contractVersion + 1, "@acme/tool", "install a newer toolmount, or an older release of the module"],
    [contractVersion + 1, "@acme/tool/more", "install a newer toolmount, or an older release of the module"],
    [0, "@acme/tool", "install a newer release of the module"],
    ["two", "@acme/tool", "install a newer release of the module"],
    [null, "@acme/tool", "install a newer release of the module"],
  ])(
    "CARD-10: one for version %j (%s) is refused by name and line, and none of its code runs",
    async (contract, module, fix) => {
      const { path } = await planWith(contract, module);
      Reflect.deleteProperty(globalThis, "ranContract");
      const problem = {
        code: "CONTRACT_UNSUPPORTED",
        line: 3,
        message: expect.stringContaining(module) as string,
      };

      await expect(openHost(path("plan.yaml"), quiet)).rejects.toMatchObject({
        details: { problems: [problem] },
      });
      const { problems } = await inspectPlan(path("plan.yaml"), quiet);
      expect(problems).toEqual([expect.objectContaining(problem)]);
      expect(problems[0]!.message).toContain(fix);
      expect(Reflect.has(globalThis, "ranContract")).toBe(false);
    },
  );
});
