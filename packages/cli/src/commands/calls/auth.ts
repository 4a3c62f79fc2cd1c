import { createInterface } from "node:readline";
import { once } from "node:events";
import { ToolmountError, type SignedIn } from "@toolmount/core";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { openBrowser } from "../../process/open-browser.ts";
import type { Shell } from "../../process/shell.ts";
import { printable } from "../../screen/printable.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly browser: boolean;
  readonly user?: string;
}

/** `toolmount auth <entry> [plan]`: lets a person sign in to an MCP server. The host stores the credentials. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("<entry>", "the entry of the plan that mounts the server")
    .argument("[plan]", planArgument)
    .option(
      "--no-browser",
      "only print the address; paste the address to which the browser returned when it runs on another machine",
    )
    .option("--user <id>", "the user who signs in, for a server with instance: user")
    .option(...jsonOption)
    .action(async (entry: string, plan: string | undefined, options: Options) => {
      shell.end(await shell.interruptible(({ signal }) => auth(entry, plan, options, shell, signal)));
    });
  addExamples(command, [
    "toolmount auth linear",
    "toolmount auth linear mount-plan.yaml --no-browser",
    "toolmount auth linear --user ana",
  ]);
}

async function auth(
  entry: string,
  plan: string | undefined,
  options: Options,
  shell: Shell,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { readMcpServers } = await import("@toolmount/loader/commands");
  const { signIn } = await import("@toolmount/mcp");
  const { servers, folder, state } = await readMcpServers(plan, loaderOptions(options, shell));
  const found = servers.find(({ id }) => id === entry);
  if (found === undefined) throw unknownEntry(entry, servers);
  const store = state === undefined ? undefined : await openState(state, folder);
  try {
    const signed = await signIn({
      settings: found.settings,
      folder,
      user: options.user,
      store: store?.credentials,
      open: (address) => show(address, options, shell),
      copied: (stopped) => readAddress(shell, stopped),
      signal,
    });
    report(entry, signed, options, shell);
    return exitCodes.done;
  } finally {
    await store?.close();
  }
}

async function openState(state: string, folder: string) {
  const { openStore } = await import("@toolmount/store");
  return openStore(state, { folder });
}

function unknownEntry(entry: string, servers: readonly { readonly id: string }[]): ToolmountError {
  const names = servers.map(({ id }) => `"${id}"`).join(", ");
  const known = names === "" ? "the plan mounts no MCP server" : `the plan mounts ${names}`;
  return new ToolmountError("USAGE_INVALID", { problem: `no MCP server "${entry.slice(0, 100)}": ${known}` });
}

async function show(address: URL, { browser, json }: Options, { err }: Shell): Promise<void> {
  if (browser && (await openBrowser(address))) err.line("The browser is asked to open the sign-in:");
  else if (json !== true) err.line("Open this address and sign in:");
  err.line(json === true ? JSON.stringify({ open: address.href }) : `  ${printable(address.href)}`);
  if (json !== true)
    err.line("Waiting for the browser. If it runs on another machine, paste the address it ends at here.");
}

/**
 * Reads a line from standard input. If the input ends first, it never resolves, so that the browser can still finish the sign-in.
 */
async function readAddress({ input }: Shell, signal: AbortSignal): Promise<string> {
  const reader = createInterface({ input });
  try {
    const [line] = (await once(reader, "line", { signal })) as [string];
    return line;
  } finally {
    reader.close();
  }
}

function report(entry: string, signed: SignedIn, { json }: Options, { out }: Shell): void {
  if (json === true) return out.json({ entry, ...signed });
  const { state, issuer = "", scope, renewable } = signed;
  if (state === "not needed") return out.line(`${printable(entry)} answers without a sign-in`);
  const scopes = scope === undefined ? "" : ` for ${scope}`;
  out.line(`${out.paint("green", "✔")} signed in to ${printable(`${entry} at ${issuer}${scopes}`)}`);
  if (!renewable) out.line("  The server gave no refresh token: sign in again when the token has expired.");
}
