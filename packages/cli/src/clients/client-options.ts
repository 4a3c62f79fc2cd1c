import { Argument, type Command } from "commander";
import { mcpClients, type McpClient } from "./mcp-clients.ts";
import { jsonOption, planArgument } from "../options/common.ts";

/** What a command that writes to an application's list of MCP servers was given. */
export interface ClientOptions {
  readonly json?: true;
  readonly remove?: true;
  readonly yes?: true;
  readonly name: string;
}

/** Adds what such a command takes: the application, the plan, and how the entry is written or removed. */
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
