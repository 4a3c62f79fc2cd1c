import type { Host, ToolInfo } from "@toolmount/core";
import { digestOf, lockDigest } from "@toolmount/core/internal";
import type { ServedSession } from "./served-session.ts";

/** Events after which a host may offer other tools than before. */
const events = ["plan:mounted", "tool:post", "mcp:changed", "skills:changed"] as const;

/**
 * Watches what a session is offered, and reports each change: after a reload, after a tool activated others, after a
 * mounted server changed. Returns how to stop.
 */
export function watchTools(served: ServedSession, onChange: () => void): () => void {
  const { host } = served;
  let last: Promise<string> | undefined = digestTools(served);
  const look = async () => {
    const before = await last;
    const now = digestTools(served);
    last = now;
    if (before !== (await now)) onChange();
  };
  let looking: Promise<void> = Promise.resolve();
  const soon = () => void (looking = looking.then(look).catch(() => {})); // a mode catalog that is away changes nothing
  const undos = events.map((event) => observe(host, event, served, soon));
  return () => undos.forEach((undo) => undo());
}

function observe(host: Host, event: string, { id }: ServedSession, look: () => void): () => void {
  return host.coordinator.hooks.observe(event, (_, { session_id: of }) => {
    // A call of another session activates nothing here; modules and plans change for everybody.
    if (event !== "tool:post" || of === undefined || of === id) look();
  });
}

async function digestTools(served: ServedSession): Promise<string> {
  const tools: readonly ToolInfo[] = await served.tools();
  return digestOf(tools.map((info) => `${info.name} ${lockDigest(info)}`));
}
