import type { TurnEvent } from "@toolmount/reasoner";

/** Names what a turn waits for, for a line with an animation. */
interface RunningCalls {
  /** Returns what runs after an event: names of tools, the model, or nothing while text arrives or after the turn. */
  after(event: TurnEvent): readonly string[];
}

/** Follows the events of turns, one after the other. */
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
