import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startRegistry } from "./support/registry.ts";
import { installTools, stranger } from "./support/release-matrix.ts";
import { release, type Release } from "./support/release.ts";

/** How each package manager installs what a project names, and brings it up to date within its ranges. */
const managers = {
  npm: { install: "npm install", update: "npm update" },
  pnpm: { install: "pnpm install --no-frozen-lockfile", update: "pnpm update" },
  yarn: { install: "yarn install", update: "yarn up -R '*' '@*/*'" },
} as const;
type Manager = keyof typeof managers;

const named = [
  "toolmount",
  "@toolmount/core",
  "@toolmount/loader",
  "@toolmount/tool-hello-world",
  "@toolmount/tool-testing",
];
const plan = `version: 1
tools:
  - module: hello-world
  - module: testing
    tools: { include: [testing_calculator] }
`;

/** A host as an application: core and loader, without the command. */
const program = `import { openHost } from "@toolmount/loader";
await using host = await openHost("mount-plan.yaml");
const { result } = await host.call({ name: "agent_hello_world", arguments: { name: "Ada" } });
console.log(result.data.Message, host.tools().length);
`;

/** The releases that come after the first, in their order. */
const steps = [
  { names: ["@toolmount/core"], bump: "patch" },
  { names: ["@toolmount/tool-hello-world"], bump: "minor" },
  { names: ["@toolmount/core"], bump: "minor" },
  { names: ["@toolmount/tool-testing"], bump: "major" },
  { names: ["@toolmount/core"], bump: "major" },
] as const;

test("CARD-9: a host with caret ranges works after each later release, updated in place and installed again, with each package manager", async () => {
  const { url } = await startRegistry();
  const names = Object.keys(managers) as Manager[];
  const tools = await installTools(
    url,
    names.map((manager) => [manager, 24] as const),
  );
  let current = await release(url, onTestFinished);
  const hosts = await Promise.all(names.map((manager) => openProject(manager, current)));
  for (const host of hosts) await host.check("installed");
  for (const { names: changed, bump } of steps) {
    current = await current.again(changed, bump);
    for (const host of hosts) {
      const place = `${host.manager}, after a ${bump} of ${changed.join(", ")}`;
      await host.run(managers[host.manager].update);
      await host.check(`${place}, updated`);
      await host.forget();
      await host.run(managers[host.manager].install);
      await host.check(`${place}, installed from nothing`);
    }
  }
  for (const host of hosts) {
    await host.write(Object.fromEntries(named.map((name) => [name, "latest"])));
    await host.run(managers[host.manager].install);
    await host.check(`${host.manager}, with the newest of all`);
  }

  async function openProject(manager: Manager, first: Release) {
    const { folder, run } = await stranger(url, join(tools, "node-24"), join(tools, "bin"));
    const write = (dependencies: object) =>
      writeFile(
        join(folder, "package.json"),
        JSON.stringify({ name: "host", private: true, type: "module", dependencies }),
      );
    const versions = first.packages.filter(({ name }) => named.includes(name));
    await write(Object.fromEntries(versions.map(({ name, version }) => [name, `^${version}`])));
    await writeFile(join(folder, "mount-plan.yaml"), plan);
    await writeFile(join(folder, "host.mjs"), program);
    await run(managers[manager].install);
    const check = async (place: string) => {
      expect(await run("node host.mjs"), place).toMatch(/Hello, Ada!.* 2/);
      expect(await run("toolmount check"), place).toContain("2 modules, 2 tools");
    };
    const forget = async () => {
      for (const name of ["node_modules", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"])
        await rm(join(folder, name), { recursive: true, force: true });
    };
    return { manager, run, check, forget, write };
  }
});
