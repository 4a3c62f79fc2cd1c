import { createHost, type HostOptions, type Logger, type Tool, type ToolShape } from "../src/index.ts";

/** A host that keeps each line of its log, and mounts tools as modules of a plan do. */
export function logged(options: HostOptions = {}) {
  const lines: [level: string, fields: object, text: string | undefined][] = [];
  const at = (level: string) => (fields: object, text?: string) => void lines.push([level, fields, text]);
  const logger: Logger = {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => logger,
  };
  const host = createHost({ logger, ...options });
  const draft = host.draft();
  const mountIn = (id: string, thing: object, shape: ToolShape = {}, name?: string) =>
    draft
      .addModule({ id, shapeTool: () => shape })
      .coordinator.mount("tools", thing as Tool, name === undefined ? undefined : { name });
  return { host, lines, mountIn, commit: () => draft.commit() };
}
