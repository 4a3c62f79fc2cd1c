import { createHost } from "@toolmount/core";
import { config, mount, type Settings } from "@toolmount/tool-todo";
import { onTestFinished } from "vitest";

/** A host with the module, and a short way to call its tool. */
export async function mounted(settings: Settings = {}) {
  const host = createHost();
  onTestFinished(() => void host.close());
  await mount(host.coordinator, config.parse(settings));
  const call = async (params: object, sessionId = "s-1") =>
    (await host.call({ name: "todo", arguments: { ...params } }, { sessionId })).result;
  return { host, call };
}
