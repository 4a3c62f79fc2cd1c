import { isToolInterrupt, type PartialResult, type ToolDefinition } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";

/** What a tool of another contract threw, with the failure that its contract makes of it. */
class DescribedFailure extends Error {
  readonly described: PartialResult<never>;

  constructor(thrown: unknown, described: PartialResult<never>) {
    super(messageOf(thrown), { cause: thrown });
    // Only plain JSON crosses to the host, and a failure is of a class.
    this.described = { ...described };
    if (!(thrown instanceof Error)) return;
    this.name = thrown.name;
    if (thrown.stack !== undefined) this.stack = thrown.stack;
  }
}

/** A tool whose failures are described where it runs: a host that has not imported it has no words for them. */
export function describingFailures(tool: ToolDefinition): ToolDefinition {
  const { failures } = tool;
  if (failures === undefined) return tool;
  return {
    ...tool,
    async execute(params, context) {
      try {
        return await tool.execute(params, context);
      } catch (thrown) {
        throw isToolInterrupt(thrown) ? thrown : new DescribedFailure(thrown, failures.describe(thrown));
      }
    },
  };
}
