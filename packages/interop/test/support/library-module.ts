import { adaptModule, recogniseModule, runMount } from "@toolmount/core/modules";
import type { JsonObject } from "@toolmount/core";
import { hostWithAdapters } from "./world.ts";

/** What a plan says of a module of another library. */
export interface LibraryEntry {
  readonly config?: JsonObject;
  readonly chosen?: string[];
  /** The path of the module. */
  readonly path?: string;
}

/** Mounts a module of these exports, as a plan does that names it. */
export async function mountLibrary(
  exports: Record<string, unknown>,
  { config = {}, chosen, path = "./my-tools.ts" }: LibraryEntry = {},
) {
  const { host, lines } = await hostWithAdapters();
  const module = adaptModule(path, recogniseModule(path, exports, chosen), host.coordinator);
  await runMount("my-tools", module, host.coordinator, config, () => false);
  const call = async (name: string, args: unknown = {}) => {
    const { status, result } = await host.call({ name, arguments: args as JsonObject }, { sessionId: "s" });
    return { status, code: result.code, said: result.error ?? result.data, content: result.content };
  };
  return { host, lines, call, names: host.tools().map(({ name }) => name) };
}

/** Why such a module is refused; null where it is mounted. */
export async function refusalOf(
  exports: Record<string, unknown>,
  entry: LibraryEntry = {},
): Promise<string | null> {
  try {
    await mountLibrary(exports, entry);
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: { problem: string } };
    return `${code} ${details.problem}`;
  }
}

/** How a call of the one tool ends that these exports hold. */
export async function ended(exports: Record<string, unknown>, args: object = {}) {
  const { names, call, host } = await mountLibrary(exports);
  return { ...(await call(names[0]!, args)), info: host.tools()[0]! };
}
