import { useSignal } from "@preact/signals";
import { Icon } from "./icons.tsx";
import { escapeHidden } from "./hidden.ts";
import { go } from "./route.ts";
import type { Approval } from "./shapes.ts";

/** Asks once whether the browser may notify. */
export function Notifications() {
  const isNew = useSignal("Notification" in window && Notification.permission === "default");
  if (!isNew.value) return null;
  const allow = async () => {
    await Notification.requestPermission();
    isNew.value = false;
    document.getElementById("content")?.focus();
  };
  return (
    <button type="button" onClick={() => void allow()}>
      <Icon name="bell" />
      Notify me when something waits
    </button>
  );
}

/** Notifications that are shown, by the id of their question. */
const shown = new Map<string, Notification>();

/**
 * Shows a notification of the browser for each new question, where the person allowed it and looks elsewhere. The
 * notification of a question that has ended is closed.
 */
export function alertPerson(
  before: readonly Approval[],
  waiting: readonly Approval[],
  sentence: (approval: Approval) => string,
): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  for (const [id, notification] of shown) {
    if (waiting.some((one) => one.id === id)) continue;
    notification.close();
    shown.delete(id);
  }
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const known = new Set(before.map(({ id }) => id));
  for (const approval of waiting) if (!known.has(approval.id)) show(approval, sentence(approval));
}

function show({ id, prompt }: Approval, sentence: string): void {
  // A question that is shown again, after a new connection, replaces itself.
  const notification = new Notification(escapeHidden(sentence), {
    body: escapeHidden(prompt),
    tag: id,
  });
  shown.set(id, notification);
  notification.addEventListener("click", () => {
    window.focus();
    go("inbox", id);
  });
}
