import { ValueType, type Attributes, type Meter } from "@opentelemetry/api";
import type { CallTrace } from "@toolmount/core";

/** Bounds in seconds. Source: the conventions' advice for durations of generative AI operations. */
const boundaries = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** Stands for every name that no tool has: names that models make up would be a series each. */
const otherTool = "_OTHER";

/** Makes the instruments, and gives back what counts a call that is over. */
export function createCounters(meter: Meter): (call: CallTrace) => void {
  const duration = meter.createHistogram("gen_ai.execute_tool.duration", {
    description: "How long the execution of a tool took, from the call's arrival to its outcome",
    unit: "s",
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: boundaries },
  });
  const calls = meter.createCounter("toolmount.calls", {
    description: "Calls by tool and status",
    unit: "{call}",
    valueType: ValueType.INT,
  });
  return (call) => {
    const tool = { "gen_ai.tool.name": call.info === undefined ? otherTool : call.tool };
    const { status = "unknown", durationMs = 0, error } = call;
    calls.add(1, { ...tool, "toolmount.status": status });
    if (status === "pending") return; // it waits, and is not over
    const attributes: Attributes = {
      ...tool,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.type": "function",
      ...(error === undefined ? {} : { "error.type": error.code }),
    };
    duration.record(durationMs / 1_000, attributes);
  };
}
