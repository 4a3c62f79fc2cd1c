import { useSignal, useSignalEffect } from "@preact/signals";
import { ask } from "../api.ts";
import { Markdown } from "../parts/markdown.tsx";
import { linkTo } from "../route.ts";
import type { Approval, Item, SessionDetails, SessionSummary } from "../shapes.ts";
import { hostPath, served } from "../state.ts";
import { textOfContent } from "../turn.tsx";

interface Words {
  readonly user: string;
  readonly model: string;
}

/** Shows the user's request, and the model's last text before the call. */
export function Before({ approval: { info } }: { readonly approval: Approval }) {
  const words = useSignal<Words | null>(null);
  const { sessionId, callId, userId = "user" } = info;
  useSignalEffect(() => {
    if (sessionId === undefined || served.value?.turns !== true) return;
    void readWords(hostPath.value, sessionId, callId).then(
      (found) => (words.value = found),
      // The question can be answered without these texts, so an error is not shown.
      () => (words.value = null),
    );
  });
  if (words.value === null || sessionId === undefined) return null;
  const { user, model } = words.value;
  return (
    <section class="box" aria-label="Before this">
      <h3>
        <span>Before this</span>
        <a href={linkTo("sessions", sessionId)}>Whole session</a>
      </h3>
      <div class="in">
        {user !== "" && <Said by={userId} text={user} />}
        {model !== "" && <Said by="model" text={model} />}
      </div>
    </section>
  );
}

function Said({ by, text }: { readonly by: string; readonly text: string }) {
  return (
    <div>
      <p class="who">{by}</p>
      <Markdown text={text} />
    </div>
  );
}

/**
 * Reads what the user and the model said before a call; null if that is not known. Only sessions in the list of sessions have a
 * conversation: the session of a program's call has none.
 */
async function readWords(host: string, sessionId: string, callId: string): Promise<Words | null> {
  const { sessions } = await ask<{ sessions: readonly SessionSummary[] }>("GET", `${host}/sessions`);
  if (!sessions.some(({ id }) => id === sessionId)) return null;
  const { items } = await ask<SessionDetails>("GET", `${host}/sessions/${encodeURIComponent(sessionId)}`);
  const at = items.findIndex((item) => item["call_id"] === callId);
  const before = items.slice(0, at === -1 ? items.length : at);
  const turn = before.slice(
    Math.max(
      0,
      before.findLastIndex(({ role }) => role === "user"),
    ),
  );
  const last = (role: string) => textOf(turn.findLast((item) => item.role === role));
  const words = { user: last("user"), model: last("assistant") };
  return words.user + words.model === "" ? null : words;
}

function textOf(item: Item | undefined): string {
  return item === undefined ? "" : textOfContent(item["content"] ?? "");
}
