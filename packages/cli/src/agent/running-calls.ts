import type { TurnEvent } from "@toolmount/reasoner";

/** Names what a turn waits for. The status line of a terminal shows these names with an animation. */
interface RunningCalls {
  /** Returns what runs after an event: the running tools, the model, or nothing while text arrives and after the turn. */
  after(event: TurnEvent): readonly string[];
}

/** Creates the state for the events of turns that run one after the other. */
export function createRunningCalls(): RunningCalls {
  const calls = new Map<string, string>();
  return {
    after(event) {
      switch (event.type) {
        case "tool_call":
          calls.set(event.callId, event.tool);
          break;
        case "tool_result":
          calls.delete(event.callId);
          break;
        case "done":
        case "hitl":
          calls.clear();
          return [];
        case "text_delta":
        case "thinking_delta":
          return [];
        case "begin":
        case "text":
        case "tool_warning":
        case "retry":
        case "error":
        case "agent":
        case "compaction":
        case "message":
        default:
      }
      return calls.size === 0 ? ["the model"] : [...calls.values()];
    },
  };
}
