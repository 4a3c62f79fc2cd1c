import { ValueType, type Attributes, type Meter } from "@opentelemetry/api";
import type { CallTrace, ModelTrace, TurnTrace } from "@toolmount/core/tracing";
import { serverAttributes } from "./attributes.ts";

/**
 * Bounds of the buckets in seconds. Source: the advice of OpenTelemetry's conventions for durations of generative AI operations.
 */
const boundaries = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** The name for all tools that do not exist. Otherwise each invented name would become a time series. */
const otherTool = "_OTHER";

/** Bounds of the buckets in tokens. Source: the advice of OpenTelemetry's conventions for token usage. */
const tokenBoundaries = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** Counts calls, turns and requests to models when they end. */
interface Counters {
  call(call: CallTrace): void;
  turn(turn: TurnTrace): void;
  request(request: ModelTrace): void;
}

/** Creates counters that use the current meter for each count, because a provider can be registered later, or removed. */
export function createCounters(findMeter: () => Meter): Counters {
  let meter: Meter | null = null;
  let counters: Counters | null = null;
  const current = (): Counters => {
    const found = findMeter();
    if (counters === null || found !== meter) {
      meter = found;
      counters = countersOf(found);
    }
    return counters;
  };
  return {
    call: (call) => current().call(call),
    turn: (turn) => current().turn(turn),
    request: (request) => current().request(request),
  };
}

function countersOf(meter: Meter): Counters {
  const { toolDuration, turnDuration, requestDuration, tokens, calls } = createInstruments(meter);
  return {
    call(call) {
      const tool = { "gen_ai.tool.name": call.info === undefined ? otherTool : call.tool };
      const { status = "unknown", durationMs = 0, error } = call;
      calls.add(1, { ...tool, "toolmount.status": status });
      if (status === "pending") return; // It waits, so its duration is not known yet.
      toolDuration.record(durationMs / 1_000, {
        ...tool,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.type": "function",
        ...errorType(error),
      });
    },
    turn({ durationMs = 0, agent, model, failure }) {
      turnDuration.record(durationMs / 1_000, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
        ...(agent === null ? {} : { "gen_ai.agent.name": agent.name }),
        ...errorType(failure),
      });
    },
    request(request) {
      const { durationMs = 0, responseModel, failure, usage } = request;
      const attributes: Attributes = {
        "gen_ai.operation.name": "chat",
        ...serverAttributes(request),
        ...(responseModel === undefined ? {} : { "gen_ai.response.model": responseModel }),
      };
      requestDuration.record(durationMs / 1_000, { ...attributes, ...errorType(failure) });
      if (usage === undefined) return;
      tokens.record(usage.inputTokens, { ...attributes, "gen_ai.token.type": "input" });
      tokens.record(usage.outputTokens, { ...attributes, "gen_ai.token.type": "output" });
    },
  };
}

/** Creates the instruments, with the names and units of OpenTelemetry's semantic conventions for generative AI. */
function createInstruments(meter: Meter) {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, {
      description,
      unit: "s",
      valueType: ValueType.DOUBLE,
      advice: { explicitBucketBoundaries: boundaries },
    });
  const toolDuration = seconds(
    "gen_ai.execute_tool.duration",
    "How long the execution of a tool took, from the call's arrival to its outcome",
  );
  const turnDuration = seconds("gen_ai.invoke_agent.duration", "How long a turn of a session took");
  const requestDuration = seconds("gen_ai.client.operation.duration", "How long a request to a model took");
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    description: "Tokens of a request to a model, in and out",
    unit: "{token}",
    valueType: ValueType.INT,
    advice: { explicitBucketBoundaries: tokenBoundaries },
  });
  const calls = meter.createCounter("toolmount.calls", {
    description: "Calls by tool and status",
    unit: "{call}",
    valueType: ValueType.INT,
  });
  return { toolDuration, turnDuration, requestDuration, tokens, calls };
}

function errorType(error: { readonly code: string } | undefined): Attributes {
  return error === undefined ? {} : { "error.type": error.code };
}
