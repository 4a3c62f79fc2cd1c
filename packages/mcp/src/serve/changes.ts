import type { ServedSession } from "./served-session.ts";

/** Events after which a host may offer other tools than before. */
const events = ["plan:mounted", "tool:post", "mcp:changed", "skills:changed"] as const;

/**
 * Watches the tools that a session is offered, and reports each change, for example after a reload, after a tool activated
 * others, or after a mounted server changed. Returns a function that stops the watching.
 */
export function watchTools(served: ServedSession, onChange: () => void): () => void {
  let digest: string | undefined;
  const isChanged = async () => {
    const before = digest;
    digest = await served.surface();
    return digest !== before;
  };
  let looking: Promise<unknown> = isChanged().catch(() => {});
  const look = async () => {
    if (await isChanged()) onChange();
  };
  const soon = () => void (looking = looking.then(look).catch(() => {})); // a mode catalog that cannot be reached changes nothing
  const undos = events.map((event) =>
    served.host.coordinator.hooks.observe(event, (_, { session_id: of }) => {
      // A call of another session activates no tools here; changes of modules and plans concern all sessions.
      if (event !== "tool:post" || of === undefined || of === served.id) soon();
    }),
  );
  return () => undos.forEach((undo) => undo());
}
