// All tasks of the retail world through the library, beside the same functions called bare. Needs ../shared; without it there is no row.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openHost } from "@toolmount/loader";

const data = fileURLToPath(new URL("../../shared/fixtures/tau2/", import.meta.url));
const plan = fileURLToPath(new URL("../test/worlds/retail/mount-plan.yaml", import.meta.url));
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** Every call of every task, on one database: later tasks find what earlier ones did, the same on both sides. */
async function retail() {
  const tasks = JSON.parse(readFileSync(`${data}tasks.json`, "utf8"));
  const calls = tasks.flatMap((task) => task.calls);
  const host = await openHost(plan, {
    env: { WORLD_DATABASE: `${data}db.json` },
    approver: () => ({ decision: "approve", by: "the bench" }),
    logger: silent,
  });
  const bare = await bareTools();
  return {
    async floor() {
      for (const { name, arguments: given } of calls) {
        const tool = bare.get(name);
        const parsed = tool.schema.safeParse(given);
        if (parsed.success) await tool.execute(parsed.data, {});
      }
    },
    async row() {
      for (const { name, arguments: given } of calls) await host.call({ name, arguments: given });
    },
  };
}

/** The definitions as the module mounts them, without a host. */
async function bareTools() {
  const { mount, config } = await import("../test/worlds/retail/retail.ts");
  const tools = new Map();
  const coordinator = { mount: (_point, tool) => tools.set(tool.name, tool), registerCapability() {} };
  await mount(coordinator, config.parse({ database: `${data}db.json` }));
  return tools;
}

/** @type {Record<string, object>} */
export const worldRows = existsSync(data)
  ? {
      retail: {
        title: "395 calls of a shop's tasks, beside bare functions",
        make: retail,
        goal: 1.5,
        gate: 4,
      },
    }
  : {};
