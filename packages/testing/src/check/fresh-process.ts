import { execFile } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { JsonObject, ToolInfo } from "@toolmount/core";

const run = promisify(execFile);

/** The module that a fresh process imports and mounts. */
export interface FreshRead {
  readonly url: string;
  readonly extensionUrls: readonly string[];
  readonly config: JsonObject;
  /** Only values that are JSON are passed to that process. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Marks the start of the answer, which comes after anything that the module prints. */
const mark = "\u0001toolmount-tools:";

/** Mounts a module in its own process and lists its tools. Rejects when the module cannot be mounted there. */
export async function readInFreshProcess(read: FreshRead): Promise<readonly ToolInfo[]> {
  const conditions = process.execArgv.flatMap((argument, at, all) =>
    argument === "-C" || argument === "--conditions"
      ? [argument, all[at + 1]!]
      : /^(-C|--conditions=)./.test(argument)
        ? [argument]
        : [],
  );
  const parameters = [...conditions, "--input-type=module", "--eval", programOf(read)];
  const { stdout } = await run(process.execPath, parameters, {
    env: compileCache(),
    timeout: 30_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.slice(stdout.lastIndexOf(mark) + mark.length)) as readonly ToolInfo[];
}

/**
 * Returns the environment variable for the folder where this process keeps compiled code, with which another process starts
 * faster. Nothing else of the environment is passed on.
 */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  // Node adds a folder for its version and platform.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** Returns the source text of the program that the process runs. */
function programOf({ url, extensionUrls, config, capabilities }: FreshRead): string {
  const imported = extensionUrls.map(
    (extension, at) => `import * as extension${at} from ${JSON.stringify(extension)};`,
  );
  const mounted = extensionUrls.map((_, at) => `await extension${at}.mount(host.coordinator, {});`);
  return `
    import { createHost } from ${JSON.stringify(import.meta.resolve("@toolmount/core"))};
    import { adaptModule, recogniseModule, runMount } from ${JSON.stringify(import.meta.resolve("@toolmount/core/modules"))};
    import { importModule } from ${JSON.stringify(import.meta.resolve("@toolmount/core/import"))};
    const module = await importModule(${JSON.stringify(url)});
    ${imported.join("\n")}
    const host = createHost();
    ${mounted.join("\n")}
    for (const [name, value] of Object.entries(${JSON.stringify(capabilities)})) host.coordinator.registerCapability(name, value);
    const draft = host.draft();
    for (const kept of host.modules()) draft.keepModule(kept);
    const { coordinator } = draft.addModule({ id: "module", hiddenText: "allow" });
    const things = new Set();
    const mount = (point, thing, options) => {
      things.add(thing);
      try { return coordinator.mount(point, thing, options); } catch { return () => {}; }
    };
    const adapted = adaptModule("module", recogniseModule("module", module), host.coordinator);
    await runMount("module", adapted, { ...coordinator, mount }, ${JSON.stringify(config)}, (tool) => things.has(tool));
    await draft.commit();
    process.stdout.write(${JSON.stringify(mark)} + JSON.stringify(host.tools({ includeDeprecated: true })), () => process.exit(0));
  `;
}
