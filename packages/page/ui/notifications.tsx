import { useSignal } from "@preact/signals";
import { Icon } from "./icons.tsx";
import { escapeHidden } from "./hidden.ts";
import { go } from "./route.ts";
import type { Approval } from "./shapes.ts";

/** Offers once to ask the browser for permission to show notifications. */
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

/** Visible notifications, by the id of their question. */
const shown = new Map<string, Notification>();

/**
 * Shows a browser notification for each new question, if the person allowed it and is not looking at the page. Closes the
 * notifications of questions that have ended.
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
  // With the same tag, the browser replaces an earlier notification of the question, for example after a new connection.
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
