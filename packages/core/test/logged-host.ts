import {
  createHost,
  data,
  type Host,
  type HostOptions,
  type Logger,
  type Tool,
  type ToolOutcome,
  type ToolShape,
} from "../src/index.ts";
import { tool } from "./world.ts";

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

/** The lines of the log, with the tool and the run of the call left out where they are its own. */
export function linesOf(
  { lines }: ReturnType<typeof logged>,
  { runId, callId }: Pick<ToolOutcome, "runId" | "callId">,
) {
  return lines.map(([level, fields, text]) => {
    const { run_id: run, call_id: id, tool: name, ...rest } = fields as Record<string, unknown>;
    const isOwn =
      run === runId && (id === undefined || id === callId) && (name === undefined || name === "probe");
    return [level, isOwn ? rest : fields, text];
  });
}

/** One call in a host that something is wrong with, and what the log says of it. */
export async function called(
  prepare: (host: Host) => void,
  given: object = {},
  options: HostOptions = {},
  context: object = {},
) {
  const { execute = () => data(1), ...fields } = given as { readonly execute?: () => unknown };
  const made = logged(options);
  made.host.coordinator.mount("tools", tool(execute, fields));
  prepare(made.host);
  made.lines.length = 0;
  const outcome = await made.host.call({ name: "probe" }, context);
  return { ...made, outcome, said: linesOf(made, outcome) };
}
