// A server of three tools over a store on disk, in a process that kills itself at the step that it was given: each write of its
// store, and each side of what a tool does, is a step.
import { appendFile } from "node:fs/promises";
import { argv, kill, pid } from "node:process";
import { createHost, data, defineTool } from "@toolmount/core";
import { createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openStore } from "@toolmount/store";
import { z } from "zod";

const [, , database = "", effects = "", token = ""] = argv;
let left = 0;
process.on("message", (steps) => (left = Number(steps)));
const step = () => void (left > 0 && --left === 0 && kill(pid, "SIGKILL"));

/** The same methods; each call of a named one is two steps, before and after it. */
function stepped<Part extends object>(part: Part, ...names: (keyof Part)[]): Part {
  const marked = names.map((name) => {
    const act = part[name] as (...given: unknown[]) => Promise<unknown>;
    const around = async (...given: unknown[]) => {
      step();
      const done = await act(...given);
      step();
      return done;
    };
    return [name, around];
  });
  return { ...part, ...(Object.fromEntries(marked) as Partial<Part>) };
}

const store = await openStore(`sqlite:${database}`);
const host = createHost({
  store: {
    approvals: stepped(store.approvals, "add", "replace"),
    sessions: store.sessions,
    work: stepped(store.work, "save"),
  },
  approvals: { leaseMs: 150 },
  approver: ({ tool }) => ({ decision: tool.name === "pay_later" ? "later" : "approve" }),
});
for (const name of ["pay", "pay_asked", "pay_later"])
  host.coordinator.mount(
    "tools",
    defineTool({
      name,
      description: "Writes a line. Use in tests.",
      schema: z.strictObject({ text: z.string() }),
      category: "side_effect",
      consequenceLevel: "low",
      requiresConfirmation: name !== "pay",
      execute: async ({ text }) => {
        step();
        await appendFile(effects, `${text}\n`);
        step();
        return data(`paid ${text}`);
      },
    }),
  );
const server = await serveHosts({
  hosts: { default: { host } },
  authenticate: createTokenCheck([{ name: "program", sha256: hashToken(token), roles: ["call", "approve"] }]),
  listen: { host: "127.0.0.1", port: 0 },
  limits: { leaseMs: 150 },
});
process.send!(server.url);
