import type { Command } from "commander";
import { draftPlan, type Draft } from "../../clients/guard.ts";
import type { McpClient } from "../../clients/mcp-clients.ts";
import { addClientOptions, agreesToWrite, type ClientOptions } from "../../clients/client-options.ts";
import { addExamples } from "../../options/common.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { withStatus } from "../../process/with-status.ts";
import { reportList } from "../../render/edit.ts";
import { shortPath } from "../../render/problems.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";
import { connect } from "./connect.ts";

/**
 * `toolmount guard <client> [plan]`: moves the servers of a client into a plan and locks their tools. If one step fails, nothing
 * changes.
 */
export function define(command: Command, shell: Shell): void {
  addClientOptions(command, async (client, plan, options) => {
    const run = options.remove === true ? connect : guard;
    shell.end(await run(client, plan ?? shell.settings.plan, options, shell));
  });
  addExamples(command, ["toolmount guard cursor", "toolmount guard cursor --remove"]);
}

async function guard(
  client: McpClient,
  plan: string | undefined,
  options: ClientOptions,
  shell: Shell,
): Promise<ExitCode> {
  const draft = await withStatus(shell, `starting the servers of ${client.name}`, (inner) =>
    draftPlan(client, plan, options.name, inner),
  );
  try {
    if (options.json !== true) describe(draft, shell);
    const name = printable(shortPath(draft.plan, shell.cwd));
    const message = `Put ${name} before these servers, in the list of ${client.name}?`;
    const isKept = draft.tools.length > 0 && (await agreesToWrite(message, options, shell));
    const change = isKept ? await draft.keep() : undefined;
    report(client, draft, change?.file, options, shell);
    return isKept && draft.lock.leftOut.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await draft.drop();
  }
}

/** What can happen to the calls of a tool, in the order in which the counts are printed. */
const verdicts = ["runs", "may ask", "asks", "denied", "changed", "not locked"] as const;

/** Shows the servers with the number of their tools, what happens to calls, and what was left out. */
function describe({ tools, lock, left, set }: Draft, shell: Shell): void {
  const { out } = shell;
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
  reportList(left, set, shell);
}

function report(
  client: McpClient,
  { plan, added, tools, left, lock }: Draft,
  file: string | undefined,
  { json }: ClientOptions,
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
