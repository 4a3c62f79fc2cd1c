import { readFileSync } from "node:fs";

/** Returns the `toolmount` part of a `package.json`, for the option `manifest`; null if absent. Throws if there is no file. */
export function readManifest(file: URL | string): Readonly<Record<string, unknown>> | null {
  const { toolmount } = JSON.parse(readFileSync(file, "utf8")) as {
    toolmount?: Readonly<Record<string, unknown>>;
  };
  return toolmount ?? null;
}
