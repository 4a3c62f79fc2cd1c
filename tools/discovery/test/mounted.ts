import { createHost, data, defineTool, type ModeSummary } from "@toolmount/core";
import { config, mount, type Settings } from "@toolmount/tool-discovery";
import { onTestFinished } from "vitest";
import { z } from "zod";

const own = [
  ["move_file", "Moves or renames a file or folder. Use to reorganise.", "source"],
  ["delete_file", "Deletes a file for good. Use only when that was asked for.", "path"],
  ["send_mail", "Sends a message to a person. Use when the text is agreed.", "recipient"],
  ["play_music", "Plays songs of an artist.", "artist"],
  ["tell_weather", "Gives the temperature of a place.", "city"],
] as const;

export function toolNamed(
  name: string,
  description = `The tool ${name}.`,
  argument = "value",
  fields: object = {},
) {
  return defineTool({
    name,
    description,
    schema: z.strictObject({ [argument]: z.string() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    ...fields,
    execute: () => data(null),
  });
}

/** A host with the module and five tools to find, and short ways to call its own two. */
export async function mounted(settings: Settings = {}, modes?: readonly Partial<ModeSummary>[]) {
  const host = createHost();
  onTestFinished(() => void host.close());
  for (const [name, description, argument] of own)
    host.coordinator.mount("tools", toolNamed(name, description, argument));
  if (modes !== undefined)
    host.coordinator.mount("mode-catalog", {
      listModes: async () => modes.map((mode) => ({ ...emptyMode, ...mode })),
    });
  await mount(host.coordinator, config.parse(settings));
  const call = async (name: string, params: object, sessionId = "s-1") =>
    (await host.session(sessionId).call({ name, arguments: { ...params } })).result;
  const find = async (query: string, limit?: number, sessionId?: string) => {
    const { data: found } = await call("tool_search", { query, ...(limit && { limit }) }, sessionId);
    return (found as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  const offered = async (sessionId = "s-1") =>
    (await host.session(sessionId).offer()).tools.map(({ name }) => name);
  return { host, call, find, offered };
}

const emptyMode: ModeSummary = {
  id: "general",
  key: "general",
  displayName: "General",
  description: "",
  systemPromptSummary: "",
  isDefault: false,
};
