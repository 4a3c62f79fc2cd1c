import { startServer, writeTokens } from "./served.ts";
import { oneTool, workspace } from "./workspace.ts";

/** Asks before it runs, and leaves a mark of each run. */
const pay = oneTool({
  name: "pay",
  schema: "cents: z.number()",
  confirm: "true",
  body: `const { appendFileSync } = await import("node:fs"); appendFileSync("paid.txt", params.cents + "\\n"); return data({ paid: params.cents });`,
});
const look = oneTool({ name: "look", body: "return data({ seen: 1 });" });

/** A folder and its tokens, from which servers of one plan start. `more` are lines of the plan. */
export async function serverGroup(
  state: string,
  more = "",
  words: readonly string[] = ["--approval-url", "https://desk.example/approve"],
) {
  const place = await workspace({
    "plan.yaml": `version: 1\nname: desk\nstate: ${state}\n${more}tools:\n  - module: ./pay.ts\n  - module: ./look.ts\n`,
    "pay.ts": pay,
    "look.ts": look,
    "paid.txt": "",
  });
  const tokens = await writeTokens();
  const start = () => startServer(place, tokens, ["plan.yaml", ...words]);
  const paid = async () => (await place.read("paid.txt")).split("\n").filter(Boolean);
  return { place, tokens, start, paid };
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** Ends a server: by SIGTERM as a service manager does, or at once. One that has ended by itself has ended. */
export async function endServer({ child, ended }: Server, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  child.kill(signal);
  await ended;
}

/** Approves every question that waits. */
export async function approveAll({ ask }: Server): Promise<number> {
  const { waiting } = (await ask("GET", "/approvals")).body as { waiting: readonly { id: string }[] };
  for (const { id } of waiting) await ask("POST", `/approvals/${id}/decision`, { decision: "approve" });
  return waiting.length;
}
