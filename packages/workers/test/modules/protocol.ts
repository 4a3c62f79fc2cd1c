// A module whose tools do what a test of the protocol between a host and its process asks.
import { data, defineTool, type Coordinator, type StagedEffects } from "@toolmount/core";
import { z } from "zod";

export const config = z.strictObject({ path: z.string().default("") });

const base = {
  description: "Does what a test asks. Use it in tests. Not for anything else.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
} as const;

/** What the process knows of the plan's folder. */
let paths: object = {};
let emit: (given: { text: string }) => Promise<unknown> = () => Promise.resolve();

const act = defineTool({
  ...base,
  name: "act",
  schema: z.strictObject({
    act: z.enum(["call", "keep", "wait", "echo", "paths", "emit", "signal"]),
    text: z.string().default(""),
  }),
  async execute({ act: what, text }, context) {
    if (what === "call") return data((await context.call({ name: "other", arguments: { text } })).status);
    if (what === "emit") await emit({ text });
    if (what === "signal") process.kill(process.pid, 0);
    if (what === "paths") return data({ ...paths, cwd: process.cwd(), own: process.env["OWN"] ?? null });
    if (what === "keep") await context.undoable!({ text });
    if (what === "wait")
      await new Promise((_, reject) => {
        const { abortSignal } = context;
        abortSignal.addEventListener("abort", () => reject(abortSignal.reason as Error), { once: true });
      });
    return data(text);
  },
  undo: ({ data: kept }) => data({ undone: kept } as never),
  preview({ text }, { rehearsal }) {
    const seen = (rehearsal as StagedEffects).staged("texts", () => [] as string[]);
    seen.push(text);
    return { effects: [], result: data([...seen]) };
  },
});

export function mount(coordinator: Coordinator, { path }: z.output<typeof config>): void {
  coordinator.mount("tools", act);
  emit = (given) => coordinator.hooks.emit("protocol:changed", given);
  paths = {
    folder: coordinator.getCapability("session.working_dir"),
    denied: coordinator.getCapability("session.protected_paths"),
    secret: coordinator.getCapability("session.secret_paths"),
  };
  const gate = (_: string, given: object) => ({ action: "deny", reason: JSON.stringify(given) }) as const;
  coordinator.hooks.gate("tool:pre", gate);
  coordinator.registerCapability("protocol.names", {
    path,
    upper: (text: string) => text.toUpperCase(),
    ask: () => (coordinator.getCapability("protocol.given") as { ask(text: string): unknown }).ask("now"),
  });
}
