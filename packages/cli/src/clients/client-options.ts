import { Argument, type Command } from "commander";
import { mcpClients, type McpClient } from "./mcp-clients.ts";
import { jsonOption, planArgument } from "../options/common.ts";
import { askWhether } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";

/** The options of a command that writes to an application's list of MCP servers. */
export interface ClientOptions {
  readonly json?: true;
  readonly remove?: true;
  readonly yes?: true;
  readonly name: string;
}

/**
 * Adds the arguments and options of a command that writes to an application's list: the application, the plan, the entry's name,
 * and whether the entry is removed.
 */
export function addClientOptions(
  command: Command,
  run: (client: McpClient, plan: string | undefined, options: ClientOptions) => Promise<void>,
): void {
  command
    .addArgument(new Argument("<client>", "the application").choices(mcpClients.map(({ name }) => name)))
    .argument("[plan]", planArgument)
    .option("--name <name>", "what the entry is called", "toolmount")
    .option("--remove", "remove the entry again, and put back the servers that were moved")
    .option("-y, --yes", "write without asking")
    .option(...jsonOption)
    .action((name: string, plan: string | undefined, options: ClientOptions) =>
      run(
        mcpClients.find((known) => known.name === name)!,
        plan,
        options,
      ),
    );
}

/**
 * Tests whether the change may be written: with `--yes`, or if the person at the terminal agrees after the output of `show`.
 * With `--json` or without a terminal, no person is asked.
 */
export async function agreesToWrite(
  message: string,
  { yes, json }: Pick<ClientOptions, "yes" | "json">,
  { err, terminal }: Shell,
  show = () => {},
): Promise<boolean> {
  if (yes === true) return true;
  if (json === true || terminal === undefined) return false;
  show();
  return (await askWhether(err, terminal, { message })) === true;
}
