import type { SessionDetails, SessionSummary } from "@toolmount/reasoner";
import { verdictsOfHost, type CallVerdict } from "../host/call-verdicts.ts";
import { shortPath } from "../render/problems.ts";
import { writeItem } from "../render/session.ts";
import type { Shell } from "../process/shell.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { shortIds } from "../screen/short-ids.ts";
import type { Agent } from "./with-reasoner.ts";

/**
 * Returns the session that `--continue` resumes: the one that changed last. Sessions of sub-agents do not count. Returns
 * undefined if no session was stored.
 */
export async function newestSession({ reasoner }: Agent): Promise<SessionSummary | undefined> {
  return (await reasoner.list()).find(({ parentId }) => parentId === null);
}

/** Shows how a chat begins: the model, the plan, the tools and the rights of their calls, and the keys. */
export async function sayOpening(agent: Agent, sessionId: string, { err, cwd }: Shell): Promise<void> {
  const { host, reasoner, model = reasoner.model } = agent;
  const { tools } = await host.session(sessionId).offer();
  const verdicts = await verdictsOfHost(host, tools, undefined);
  const { file } = host.plan;
  const facts = [
    `model ${printable(model)}`,
    ...(file === undefined ? [] : [`plan ${printable(shortPath(file, cwd))}`]),
    `${countOf(tools, "tool")}${rightsOf([...verdicts.values()])}`,
    `session ${printable(shortIds([sessionId])(sessionId))}`,
  ];
  err.line(err.paint("dim", facts.join(" · ")));
  err.line(
    err.paint("dim", "/help shows commands; \\ before Enter begins another line; Ctrl-D ends the chat"),
  );
}

/** Shows the last turn of a resumed session: the user's message, and the items after it. Shows nothing for a new session. */
export async function sayEnd({ reasoner }: Agent, sessionId: string, { err }: Shell): Promise<void> {
  const known = (await reasoner.list()).some(({ id }) => id === sessionId);
  if (!known) return;
  const { items, title } = await reasoner.show(sessionId);
  err.line(err.paint("dim", `resumed: ${printable(title)}`));
  for (const item of lastTurn(items)) writeItem(err, item);
}

/** Returns the items of the last turn, from the user's message on. */
function lastTurn(items: SessionDetails["items"]): SessionDetails["items"] {
  const at = items.findLastIndex(({ role }) => role === "user");
  return at === -1 ? [] : items.slice(at);
}

const rights = {
  runs: "run",
  asks: "ask",
  "may ask": "some ask",
  denied: "denied",
  changed: "changed",
  "not locked": "not locked",
} as const;

/** Counts how many tools run, ask or are denied: `: 2 run, 1 ask`. */
function rightsOf(verdicts: readonly (CallVerdict | undefined)[]): string {
  const counts = Object.entries(rights).map(([verdict, word]) => {
    const count = verdicts.filter((one = "runs") => one === verdict).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return counts.flat().length === 0 ? "" : `: ${counts.flat().join(", ")}`;
}
