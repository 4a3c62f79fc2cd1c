/** A call that a model made in a turn. */
export interface SeenCall {
  readonly tool: string;
  /** The arguments as the model wrote them. */
  readonly arguments: string;
  /** How the call ended, such as `ok` or `invalid`; undefined while it waits. */
  readonly status?: string | undefined;
  /** The text that the model got as the result. */
  readonly text?: string | undefined;
}

/** A turn as an evaluation sees it, or all turns of a conversation together. */
export interface SeenTurn {
  readonly calls: readonly SeenCall[];
  /** The model's last text. */
  readonly text: string;
  readonly durationMs: number;
  /** Number of tokens of input and output together. */
  readonly tokens: number;
  /** The cost; undefined if the plan has no prices. */
  readonly cost?: number | undefined;
  /** The state of the world afterwards, as JSON; undefined in a run without a world. */
  readonly state?: unknown;
}

interface SeenCallEvent {
  readonly type: "tool_call";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: string;
}

interface SeenResultEvent {
  readonly type: "tool_result";
  readonly callId: string;
  readonly status: string;
  readonly text: string;
}

/** An event of a turn, as `@toolmount/reasoner` reports it. Calls and results are read; other events are ignored. */
export interface SeenEvent {
  readonly type: string;
}

/** Collects the calls of a turn from its events, in the order in which the model made them. */
export function createCallCollector(): {
  readonly onEvent: (event: SeenEvent) => void;
  readonly calls: () => readonly SeenCall[];
} {
  const calls = new Map<string, SeenCall>();
  return {
    onEvent(event) {
      if (isCall(event)) calls.set(event.callId, { tool: event.tool, arguments: event.arguments });
      else if (isResult(event)) {
        const call = calls.get(event.callId);
        if (call !== undefined) calls.set(event.callId, { ...call, status: event.status, text: event.text });
      }
    },
    calls: () => [...calls.values()],
  };
}

function isCall(event: SeenEvent): event is SeenCallEvent {
  return event.type === "tool_call";
}

function isResult(event: SeenEvent): event is SeenResultEvent {
  return event.type === "tool_result";
}
