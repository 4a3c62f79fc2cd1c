import { isoTime } from "../contract/clock.ts";
import { systemClock } from "../scheduling/time.ts";
import type { PartialContext, Tool, ToolDefinition, ToolSpecification } from "../contract/tool.ts";
import type { ToolContext } from "../contract/context.ts";
import { errorMessage } from "../contract/errors.ts";
import { isToolInterrupt } from "../contract/interrupt.ts";
import { silentLogger } from "../contract/logger.ts";
import type { ToolResult, ToolReturn } from "../contract/result.ts";
import { withoutUndefined } from "../json/without-undefined.ts";
import { toolFailure } from "../result/tool-failure.ts";
import { invalidArguments, parserAlone, requireSchema, type PreparedSchema } from "../schema/schema.ts";
import type { SchemaOutput, ToolSchema } from "../contract/standard-schema.ts";
import { normalizeResult, ContractBreach } from "../result/normalize.ts";

/** The key of the author's own `execute`. A host runs that function, because it makes the checks itself. */
const authored = Symbol.for("toolmount.authored");

/**
 * Defines a tool. The classification is required; everything else has a default. Throws `TOOL_INVALID` for a definition
 * without a schema, and for a schema that is neither a schema of a library nor JSON Schema.
 *
 * The returned `execute` works without a host: it checks the abort signal, then the arguments, throws nothing except
 * interrupts, and completes the result. In a host, the hops of a call do that work instead.
 */
export function defineTool<const Schema extends ToolSchema, Data>(
  specification: ToolSpecification<Schema, Data>,
): Tool<Schema, Data>;
/** Defines a tool whose `execute` returns data of several types: the tool's data is the union of them. */
export function defineTool<const Schema extends ToolSchema, Returned extends ToolReturn>(
  specification: Omit<ToolSpecification<Schema, unknown>, "execute"> & {
    execute(params: SchemaOutput<Schema>, context: ToolContext): Promise<Returned> | Returned;
  },
): Tool<Schema, DataOf<Returned>>;
export function defineTool(specification: ToolSpecification<ToolSchema, unknown>): Tool {
  requireSchema(specification.name, specification.schema, specification);
  let parse: Parse | undefined;
  const tool = {
    ...specification,
    execute: (params: unknown, context?: PartialContext) => {
      parse ??= parserAlone(specification.name, specification.schema);
      return executeAlone(specification, parse, params, context);
    },
    [authored]: undefined as Authored | undefined,
  };
  tool[authored] = { specification, tool };
  return tool;
}

type Parse = PreparedSchema["parse"];

/** The type of `data` in a return value; for a union, the union of the types. */
type DataOf<Returned> = Returned extends { readonly data: infer Data } ? Data : never;

interface Authored {
  readonly specification: ToolDefinition;
  readonly tool: object;
}

/** Returns the definition with the author's own `execute`. Members that a copy of the tool has changed are kept. */
export function authoredDefinition(given: ToolDefinition | Tool): ToolDefinition {
  const { [authored]: mark, ...copy } = given as ToolDefinition & { [authored]?: Authored };
  if (mark === undefined) return given;
  const { specification, tool } = mark;
  if (given === tool) return specification;
  if (given.execute !== (tool as Tool).execute) return copy;
  return { ...copy, execute: (params, context) => specification.execute(params, context) };
}

async function executeAlone(
  specification: ToolDefinition,
  parse: Parse,
  params: unknown,
  given: PartialContext = {},
): Promise<ToolResult> {
  const { name } = specification;
  const fetchedAt = isoTime(systemClock.now());
  const finish = (answer: ToolReturn) => normalizeResult(name, name, fetchedAt, answer);
  try {
    if (given.abortSignal?.aborted === true)
      return finish({ error: errorMessage("CANCELLED", {}), code: "CANCELLED" });
    const parsed = await parse(params ?? {});
    if (!parsed.ok) return finish(invalidArguments(parsed.issues));
    return finish(await specification.execute(parsed.value, contextWithDefaults(name, given)));
  } catch (thrown) {
    if (isToolInterrupt(thrown)) throw thrown;
    if (!(thrown instanceof ContractBreach)) return finish(toolFailure(name, thrown));
    return finish({
      error: errorMessage("CONTRACT_VIOLATION", { tool: name, rule: thrown.message }),
      code: "CONTRACT_VIOLATION",
    });
  }
}

function contextWithDefaults(tool: string, given: PartialContext): ToolContext {
  const session = new Map<string, never>();
  return {
    callId: "",
    runId: "",
    tool,
    depth: 0,
    abortSignal: new AbortController().signal,
    logger: silentLogger,
    progress: () => {},
    call: (request) =>
      Promise.reject(new Error(`"${tool}" runs without a host and cannot call "${request.name}"`)),
    session: {
      get: (key) => session.get(key),
      set: (key, value) => void session.set(key, value as never),
      delete: (key) => session.delete(key),
    },
    ...(withoutUndefined(given) as Partial<ToolContext>),
  };
}
