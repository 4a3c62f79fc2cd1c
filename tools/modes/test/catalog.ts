import type { Logger, ModeCatalog, ModeSummary } from "@toolmount/core";

export const general: ModeSummary = {
  id: "0f8fad5bd9cb469fa16570867728950e",
  key: "general",
  displayName: "General",
  description: "For everything that needs no other mode.",
  systemPromptSummary: "You help with whatever is asked.",
  isDefault: true,
  humanRoleHints: ["anybody"],
  exampleUtterances: ["Help me with this."],
};

export const planning: ModeSummary = {
  id: "7c9e667974254a3d8f0c1e2b3a4d5e6f",
  key: "planning",
  displayName: "Planning",
  description: "For thinking before doing.",
  systemPromptSummary: "You plan, and change nothing.",
  isDefault: false,
  humanRoleHints: null,
  exampleUtterances: null,
};

/** A catalog in memory, which also reports how often it was read, and with which signals. */
export function catalogOf(modes: readonly (ModeSummary | null)[] = [general, planning]) {
  const signals: AbortSignal[] = [];
  const catalog: ModeCatalog = {
    listModes: async ({ signal }) => {
      signals.push(signal);
      return modes;
    },
  };
  return { ...catalog, signals };
}

export const failing: ModeCatalog = {
  listModes: () => Promise.reject(new Error("connection to modes-db:5432 refused")),
};

export interface Line {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string | undefined;
}

/** A logger that keeps its lines. */
export function recordingLogger(): Logger & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (fields: object, message?: string): void =>
      void lines.push({ level, fields: { ...fields }, message });
  const logger = {
    lines,
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (): Logger => logger,
  };
  return logger;
}
