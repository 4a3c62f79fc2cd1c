// Writes the `toolmount` field of a tool's package.json from what the package mounts.
//   node -C @toolmount/source scripts/manifest.mjs tools/hello-world ['{"a":"config"}']
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createHost } from "../packages/core/src/index.ts";

const [folder, configText = "{}"] = process.argv.slice(2);
const { config, mount } = await import(pathToFileURL(resolve(folder, "src/index.ts")));
const path = join(folder, "package.json");
const manifest = JSON.parse(await readFile(path, "utf8"));
manifest.toolmount = await describeModule(config.parse(JSON.parse(configText)));
await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);

async function describeModule(settings) {
  const host = createHost();
  host.coordinator.registerCapability("session.working_dir", resolve(folder));
  await mount(host.coordinator, settings);
  const schema = config["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const tools = host.tools().map(describeTool);
  await host.close();
  const { provides = [], needs = [] } = manifest.toolmount ?? {};
  return { type: "tool", mounts: ["tools"], static: true, config: schema, provides, needs, tools };
}

/** What a host may list without importing the package. */
function describeTool(tool) {
  const { name, description, summary, inputSchema, outputSchema, category, consequenceLevel } = tool;
  const { requiresConfirmation, timeoutMs, idempotent, tags, version } = tool;
  const facts = { category, consequenceLevel, requiresConfirmation, timeoutMs, idempotent, tags, version };
  return { name, description, summary, inputSchema, outputSchema, ...facts };
}
