import { useSignal } from "@preact/signals";
import { ask } from "./api.ts";
import { TextForm } from "./parts/text-form.tsx";
import { hostPath, me, notify, textOf } from "./state.ts";

interface MessageProps {
  readonly sessionId: string;
  readonly onChange: () => void;
}

/** Adds a message to the open turn of a session. The model reads it with its next request. */
export function Message({ sessionId, onChange }: MessageProps) {
  const text = useSignal("");
  const busy = useSignal(false);
  if (me.value?.roles.includes("call") !== true) return null;
  const send = async () => {
    busy.value = true;
    try {
      await addMessage(sessionId, text.value);
      text.value = "";
      notify("The model reads it with its next request.");
    } catch (error) {
      notify(textOf(error));
    }
    busy.value = false;
    onChange();
  };
  return <TextForm label="Add to the turn that is open" button="Add" text={text} busy={busy} send={send} />;
}

/** The newest turn of a session is the open one. Rejects with `SESSION_CONFLICT` when it has ended meanwhile. */
async function addMessage(sessionId: string, text: string): Promise<void> {
  const path = `${hostPath.value}/turns`;
  const query = `session=${encodeURIComponent(sessionId)}&limit=1`;
  const { turns } = await ask<{ turns: readonly { readonly id: string }[] }>("GET", `${path}?${query}`);
  const [turn] = turns;
  if (turn === undefined) throw new Error("Another program runs this turn. Resume it here first.");
  await ask("POST", `${path}/${turn.id}/messages`, { text });
}
