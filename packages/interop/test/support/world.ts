import { createHost, data, type Host, type HostOptions, type Logger } from "@toolmount/core";
import { mount } from "@toolmount/interop";

/** A line that was logged. */
export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A logger that keeps every line. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (fields: object, message = "") =>
      void lines.push({ level, fields: fields as LogLine["fields"], message });
  const logger: Logger = {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => logger,
  };
  return { logger, lines };
}

/** A host with the adapters mounted, and its log. */
export async function hostWithAdapters(options: HostOptions = {}): Promise<{ host: Host; lines: LogLine[] }> {
  const { logger, lines } = recordingLogger();
  const host = createHost({ logger, ...options });
  await mount(host.coordinator, {});
  return { host, lines };
}

/** A host with one tool, and the calls that it got: call and session of each. */
export async function hostWithAdd() {
  const { host } = await hostWithAdapters();
  const heard: unknown[] = [];
  host.coordinator.mount("tools", {
    name: "add",
    description: "Adds two numbers.",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    execute: (
      { a, b }: { a: number; b: number },
      { callId, sessionId }: { callId: string; sessionId?: string },
    ) => {
      heard.push([callId, sessionId]);
      return data({ sum: a + b });
    },
  });
  return { host, heard };
}
