import { createHost, type Host, type HostOptions, type Logger } from "@toolmount/core";
import { mount } from "@toolmount/interop";

/** A line that was logged. */
export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A logger that keeps every line. */
function recordingLogger(): { readonly logger: Logger; readonly lines: LogLine[] } {
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
