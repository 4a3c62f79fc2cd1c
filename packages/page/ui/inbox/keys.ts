import { mayApprove } from "../state.ts";
import { toggleMark } from "./marked.tsx";
import { isWaiting, shownId, step } from "./shown.ts";

/** For each key, the `data-key` of the button or field that it presses or focuses. */
const buttons: Readonly<Record<string, string>> = {
  a: "approve",
  d: "reason",
  e: "edit",
  r: "scopes",
  n: "next",
};

/** Handles the inbox's keys, except while a person types into a field. Returns a function that stops this. */
export function listenToKeys(): () => void {
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  const { key, target } = event;
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isWriting(target)) return;
  if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
  else if (key === "x" && mayApprove.value && shownId.value !== null && isWaiting(shownId.value))
    toggleMark(shownId.value);
  else if (!press(buttons[key])) return;
  event.preventDefault();
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

/**
 * Presses a button. A field, or a button with `data-confirms`, only gets the focus, so that Enter must follow. Returns false if
 * there is no such button.
 */
function press(name: string | undefined): boolean {
  if (name === undefined) return false;
  const found = document.querySelector<HTMLElement>(`[data-key="${name}"]`);
  if (found === null || found.closest("[inert]") !== null) return false;
  if (found instanceof HTMLInputElement || found.dataset["confirms"] !== undefined) found.focus();
  else found.click();
  return true;
}
