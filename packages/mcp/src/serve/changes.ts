import { isDeepStrictEqual } from "node:util";
import type { Host } from "@toolmount/core";
import { digestOf, lockDigest } from "@toolmount/core/internal";
import type { ServedSession } from "./served-session.ts";

/** Events after which a host may offer other tools than before. */
const events = ["plan:mounted", "tool:post", "mcp:changed", "skills:changed"] as const;

/**
 * Watches what a session is offered, and reports each change: after a reload, after a tool activated others, after a
 * mounted server changed. Returns how to stop.
 *
 * The tools are compared only after something changed that the offer depends on: nearly every call changes nothing, and
 * the host may have thousands of tools.
 */
export function watchTools(served: ServedSession, onChange: () => void): () => void {
  let mark: readonly unknown[] | undefined;
  let digest: string | undefined;
  const isChanged = async () => {
    const now = served.offerMark();
    if (isDeepStrictEqual(mark, now)) return false;
    const before = digest;
    digest = await digestTools(served);
    mark = now;
    return digest !== before;
  };
  let looking: Promise<unknown> = isChanged().catch(() => {});
  const look = async () => {
    if (await isChanged()) onChange();
  };
  const soon = () => void (looking = looking.then(look).catch(() => {})); // a mode catalog that is away changes nothing
  const undos = events.map((event) => observe(served.host, event, served, soon));
  return () => undos.forEach((undo) => undo());
}

function observe(host: Host, event: string, { id }: ServedSession, look: () => void): () => void {
  return host.coordinator.hooks.observe(event, (_, { session_id: of }) => {
    // A call of another session activates nothing here; modules and plans change for everybody.
    if (event !== "tool:post" || of === undefined || of === id) look();
  });
}

async function digestTools(served: ServedSession): Promise<string> {
  const tools = await served.tools();
  return digestOf(tools.map((info) => `${info.name} ${lockDigest(info)}`));
}
