import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { sharedPostgres } from "../../packages/workers/test/fleet/servers.ts";
import { exec } from "../support/exec.ts";
import { commandFile, nodeFlags } from "../support/program.ts";
import { behind, folderOf, open } from "./world.ts";

/** A module with what Node cannot strip, what only `tsc` resolves, and a project above the module's own package. */
const files = {
  "tsconfig.json":
    '{ "compilerOptions": { "experimentalDecorators": true, "paths": { "~/*": ["./app/lib/*"] } } }',
  "app/package.json": '{ "name": "app", "type": "module" }',
  "app/lib/kind.ts":
    'export enum Kind {\n  Plain = "plain",\n}\nexport interface Words {\n  readonly word: string;\n}\n',
  "app/lib/names.json": '["ann"]',
  "app/tool.tsx": `import { Kind, Words } from "~/kind.js";
import names from "./lib/names.json";
const louder = (_: object, __: string, d: PropertyDescriptor) => ({
  ...d,
  value(this: unknown) {
    return String(d.value.call(this)).toUpperCase();
  },
});
class Greeter {
  constructor(private readonly words: Words) {}
  @louder say() {
    return this.words.word + " " + names[0];
  }
}
export const greetAnn = {
  name: "greet_ann",
  description: "Greets Ann. Use in tests.",
  schema: { type: "object", properties: { fail: { type: "boolean" } } },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  timeout: 600_000,
  async execute({ fail }: { fail?: boolean }) {
    if (fail) throw new Error("no");
    return { tool: "greet_ann", fetchedAt: new Date().toISOString(), data: new Greeter({ word: Kind.Plain }).say() };
  },
};
`,
};

test.each(["none", "permission", "bubblewrap"])(
  "CARD-7: a module of any TypeScript mounts behind the border %s as it does in the host",
  async (border) => {
    const folder = await folderOf(files);
    const module = join(folder, "app/tool.tsx");
    const [here, there] = await Promise.all([
      open({ version: 1, tools: [{ module }] }),
      open({ version: 1, tools: [{ module, run: behind(border) }] }),
    ]);

    expect(there.tools()).toEqual(here.tools());
    for (const host of [here, there]) {
      expect((await host.call({ name: "greet_ann" })).result.data).toBe("PLAIN ANN");
      expect((await host.call({ name: "greet_ann", arguments: { fail: true } })).status).toBe("failed");
    }
  },
);

test("CARD-7: a worker of a fleet runs a module of any TypeScript", async () => {
  const postgres = await sharedPostgres();
  onTestFinished(() => postgres.stop());
  const state = await postgres.database("any_typescript");
  const plan = `version: 1\ntools: [{ module: ./app/tool.tsx, run: { in: fleet } }]\nstate: ${state}\n`;
  const cwd = await folderOf({ ...files, "mount-plan.yaml": plan });
  const worker = spawn(process.execPath, [...nodeFlags, commandFile, "worker", "--json"], { cwd });
  onTestFinished(() => void worker.kill("SIGKILL"));
  const [ready] = (await once(createInterface({ input: worker.stdout }), "line")) as [string];

  expect(JSON.parse(ready)).toMatchObject({ ready: true, tools: ["greet_ann"] });
  const called = await exec(process.execPath, [...nodeFlags, commandFile, "call", "greet_ann", "--json"], {
    cwd,
  });
  expect(JSON.parse(called)).toMatchObject({ status: "ok", result: { data: "PLAIN ANN" } });
});
