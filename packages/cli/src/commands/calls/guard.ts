import { Argument, type Command } from "commander";
import { makeChange, planRemoval } from "../../clients/change.ts";
import { draftPlan, type Draft } from "../../clients/guard.ts";
import { mcpClients, type McpClient } from "../../clients/mcp-clients.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { askWhether } from "../../process/choose.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { withStatus } from "../../process/with-status.ts";
import { shortPath } from "../../render/problems.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";

interface Options {
  readonly json?: true;
  readonly remove?: true;
  readonly yes?: true;
  readonly name: string;
}

/** `toolmount guard <client> [plan]`: the servers of a client come behind a plan, with their tools locked: all of it, or nothing. */
export function define(command: Command, shell: Shell): void {
  command
    .addArgument(new Argument("<client>", "the application").choices(mcpClients.map(({ name }) => name)))
    .argument("[plan]", planArgument)
    .option("--name <name>", "what the entry is called", "toolmount")
    .option("--remove", "put back the servers that guard moved")
    .option("-y, --yes", "write without asking")
    .option(...jsonOption)
    .action(async (name: string, plan: string | undefined, options: Options) => {
      const client = mcpClients.find((known) => known.name === name)!;
      const isRemoval = options.remove === true;
      shell.end(
        isRemoval
          ? await unguard(client, options, shell)
          : await guard(client, plan ?? shell.settings.plan, options, shell),
      );
    });
  addExamples(command, ["toolmount guard cursor", "toolmount guard cursor --remove"]);
}

async function guard(
  client: McpClient,
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const draft = await withStatus(shell, `starting the servers of ${client.name}`, (inner) =>
    draftPlan(client, plan, options.name, inner),
  );
  try {
    if (options.json !== true) describe(draft, shell);
    const isKept = draft.tools.length > 0 && (await isAgreed(client, draft, options, shell));
    const change = isKept ? await draft.keep() : undefined;
    report(client, draft, change?.file, options, shell);
    return isKept && draft.lock.leftOut.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await draft.drop();
  }
}

async function isAgreed(
  client: McpClient,
  { plan }: Draft,
  options: Options,
  shell: Shell,
): Promise<boolean> {
  if (options.yes === true) return true;
  if (options.json === true || shell.terminal === undefined) return false;
  const message = `Put ${printable(shortPath(plan, shell.cwd))} before these servers, in the list of ${client.name}?`;
  return (await askWhether(shell.err, shell.terminal, { message })) === true;
}

/** The order in which what becomes of calls is counted. */
const verdicts = ["runs", "may ask", "asks", "denied", "changed", "not locked"] as const;

/** What each server gives, what becomes of calls, and what was left out. */
function describe({ tools, lock, left, set }: Draft, { out }: Shell): void {
  for (const [server, own] of Map.groupBy(tools, (tool) => tool.server)) {
    const ends = Map.groupBy(own, ({ calls = "runs" }) => calls);
    const counts = verdicts
      .filter((verdict) => ends.has(verdict))
      .map((verdict) => `${ends.get(verdict)!.length} ${verdict}`)
      .join(", ");
    out.line(`${out.paint("bold", printable(server))}  ${countOf(own, "tool")}: ${counts}`);
  }
  for (const { module, problem } of lock.leftOut)
    out.line(
      `${out.paint("yellow", "⚠")} ${printable(`${module} did not answer, so its tools are denied until toolmount lock accepts them: ${problem}`)}`,
    );
  for (const { name, because } of left)
    out.line(`${out.paint("yellow", "left out")} ${printable(name)} (${printable(because)})`);
  for (const { name, because } of set)
    out.line(
      `${out.paint("yellow", "set")} the environment variable ${printable(name)} (${printable(because)})`,
    );
}

function report(
  client: McpClient,
  { plan, added, tools, left, lock }: Draft,
  file: string | undefined,
  { json }: Options,
  { out, cwd }: Shell,
): void {
  const leftOut = lock.leftOut;
  if (json === true)
    return out.json({
      client: client.name,
      plan,
      added,
      tools,
      left,
      leftOut,
      file: file ?? null,
      written: file !== undefined,
    });
  const name = printable(shortPath(plan, cwd));
  if (file === undefined)
    return out.line(
      tools.length === 0
        ? "no server gave a tool; nothing is written"
        : "nothing is written; --yes writes it",
    );
  out.line(`${out.paint("green", "✔")} ${name} and its lock have ${countOf(tools, "tool")}`);
  out.line(
    `${out.paint("green", "✔")} ${printable(shortPath(file, cwd))} starts ${name}; --remove puts the servers back`,
  );
}

async function unguard(client: McpClient, options: Options, shell: Shell): Promise<ExitCode> {
  const change = await planRemoval(client, options.name, shell);
  if (change.after !== change.before) await makeChange(change);
  const { out } = shell;
  const { file, servers, rewritten } = change;
  if (options.json === true) out.json({ client: client.name, file, servers, rewritten });
  else {
    const names = servers.map(printable).join(", ");
    out.line(
      `${out.paint("green", "✔")} ${printable(file)}: ${names === "" ? "no server was moved" : `has ${names} again`}`,
    );
    for (const one of rewritten) out.line(`  ${printable(one)} stays in the file as you wrote it since`);
  }
  return exitCodes.done;
}
