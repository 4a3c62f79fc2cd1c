import { useSignal } from "@preact/signals";
import { ask, readEvents } from "./api.ts";
import { TextForm } from "./parts/text-form.tsx";
import { go } from "./route.ts";
import { hostPath, me, notify, textOf } from "./state.ts";

interface PromptProps {
  /** Null for a new session. */
  readonly sessionId: string | null;
  readonly onChange: () => void;
}

/** Sends a prompt to the model, and shows its answer as it arrives. */
export function Prompt({ sessionId, onChange }: PromptProps) {
  const prompt = useSignal("");
  const said = useSignal<string | null>(null);
  const busy = useSignal(false);
  if (me.value?.roles.includes("call") !== true) return null;
  const run = async () => {
    busy.value = true;
    said.value = "";
    try {
      const body = { prompt: prompt.value, ...(sessionId !== null && { sessionId }) };
      const path = `${hostPath.value}/turns`;
      const turn = await ask<{ id: string; sessionId: string }>("POST", path, body);
      go("sessions", turn.sessionId);
      for await (const { event, data } of readEvents("GET", `${path}/${turn.id}/events`, never)) {
        said.value += lineOf(event, data as TurnEvent);
        const { type } = data as TurnEvent;
        if (type !== "text_delta" && type !== "thinking_delta") onChange();
      }
      prompt.value = "";
    } catch (error) {
      notify(textOf(error));
    }
    busy.value = false;
    onChange();
  };
  const label = sessionId === null ? "Ask the model, in a new session" : "Ask again";
  return (
    <TextForm label={label} button="Run a turn" text={prompt} busy={busy} send={run}>
      {said.value !== null && said.value !== "" && (
        <pre class="value" tabIndex={0} role="log" aria-label="The turn">
          {said.value}
        </pre>
      )}
    </TextForm>
  );
}

/** A signal that never aborts, so that the answer is read even while another view is open. The turn runs on the server. */
const never = new AbortController().signal;

interface TurnEvent {
  readonly type?: string;
  readonly text?: string;
  readonly tool?: string;
  readonly status?: string;
  readonly arguments?: string;
  readonly sessionId?: string;
  readonly message?: string;
  readonly detail?: string;
}

function lineOf(event: string, data: TurnEvent): string {
  if (event === "error") return `\n${data.detail ?? "the turn failed"}\n`;
  if (event === "turn") return `\n[${data.status ?? ""}]\n`;
  const { type = "" } = data;
  switch (type) {
    case "text_delta":
      return data.text ?? "";
    case "tool_call":
      return `\n→ ${data.tool ?? ""} ${data.arguments ?? ""}\n`;
    case "tool_result":
      return `← ${data.tool ?? ""}: ${data.status ?? ""}\n`;
    case "hitl":
      return "\nIt waits for an answer in the inbox.\n";
    case "error":
    case "tool_warning":
      return `\n${data.message ?? ""}\n`;
    default:
      return "";
  }
}
