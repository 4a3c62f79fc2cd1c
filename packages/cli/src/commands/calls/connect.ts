import type { Command } from "commander";
import { makeChange, planEntry, planRemoval, type Change } from "../../clients/change.ts";
import { describeWay } from "../../clients/direct-servers.ts";
import type { McpClient } from "../../clients/mcp-clients.ts";
import { addClientOptions, agreesToWrite, type ClientOptions } from "../../clients/client-options.ts";
import { addExamples } from "../../options/common.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { jsonText, printable } from "../../screen/printable.ts";

/**
 * `toolmount guard connect <client> [plan]`: writes the plan into the client's list, and removes the servers that the plan has.
 */
export function define(command: Command, shell: Shell): void {
  addClientOptions(command, async (client, plan, options) => {
    shell.end(await connect(client, plan ?? shell.settings.plan, options, shell));
  });
  addExamples(command, ["toolmount guard connect claude-code", "toolmount guard connect cursor --remove"]);
}

/** Writes or removes the entry that starts the plan, if the person agrees, and reports the result. */
export async function connect(
  client: McpClient,
  plan: string | undefined,
  options: ClientOptions,
  shell: Shell,
): Promise<ExitCode> {
  const change =
    options.remove === true
      ? await planRemoval(client, options.name, shell)
      : await planEntry(client, plan, options.name, shell);
  const isNew = change.after !== change.before;
  const message = `Write this to the list of ${client.name}?`;
  const show = () => shell.err.line(describe(change));
  const written = isNew && (await agreesToWrite(message, options, shell, show));
  if (written) await makeChange(change);
  const { file, entry, servers, rewritten, set, direct } = change;
  const missing = set.map(({ name }) => name);
  if (options.json === true)
    shell.out.json({
      client: client.name,
      file,
      entry: entry ?? null,
      servers,
      rewritten,
      written,
      missing,
      direct,
    });
  else report(change, { isNew, written }, shell);
  return exitCodes.done;
}

function describe({ file, entry, servers, rewritten }: Change): string {
  const names = servers.map(printable).join(", ");
  if (entry === undefined) {
    const back = names === "" ? "" : `; put back: ${names}`;
    const stays =
      rewritten.length === 0 ? "" : `; written since, and stays: ${rewritten.map(printable).join(", ")}`;
    return `${printable(file)}: the entry is removed${back}${stays}`;
  }
  const moved = names === "" ? "" : `\nleaves the file, because the plan has it: ${names}`;
  return `${printable(file)}:\n${jsonText(entry)}${moved}`;
}

function report(change: Change, state: { isNew: boolean; written: boolean }, { out }: Shell): void {
  const { file, entry, servers, rewritten, set, direct } = change;
  const says = (line: string) => out.line(`  ${line}`);
  const names = servers.map(printable).join(", ");
  if (!state.isNew) out.line(`${printable(file)} is as it should be already`);
  else if (state.written) {
    const done = entry === undefined ? "entry removed" : "entry written";
    out.line(`${out.paint("green", "✔")} ${printable(file)}: ${done}`);
    if (names !== "" && entry === undefined) says(`in the file again: ${names}`);
    for (const one of rewritten) says(`${printable(one)} stays in the file as you wrote it since`);
    if (names !== "" && entry !== undefined)
      says(`left the file, because the plan has it: ${names}; --remove puts it back`);
  } else {
    out.line(describe(change));
    out.line("nothing is written; --yes writes it");
  }
  if (!state.isNew && entry === undefined) return;
  for (const { name, because } of set) says(`${out.paint("yellow", "set")} ${printable(name)} ${because}`);
  for (const way of direct) says(`${out.paint("yellow", "•")} ${describeWay(way)}`);
}
