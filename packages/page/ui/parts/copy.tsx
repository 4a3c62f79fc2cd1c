import { useSignal } from "@preact/signals";
import { Icon, type IconName } from "../icons.tsx";
import { notify } from "../state.ts";

interface CopyProps {
  readonly text: string;
  /** Says what is copied, for people who cannot see what the button is next to. */
  readonly what: string;
  readonly label?: string;
  readonly icon?: IconName;
}

/** Milliseconds for which the button shows that the text was copied. */
const saidMs = 2_000;

/** Shows a button that copies a text exactly as it is, including hidden characters. */
export function Copy({ text, what, label = "Copy", icon = "copy" }: CopyProps) {
  const isDone = useSignal(false);
  const copy = async () => {
    if (!(await toClipboard(text))) return notify("The browser did not let the page copy.");
    isDone.value = true;
    setTimeout(() => (isDone.value = false), saidMs);
  };
  return (
    <button type="button" class="plain" onClick={() => void copy()}>
      <Icon name={isDone.value ? "check" : icon} />
      {isDone.value ? "Copied" : label}
      <span class="quiet"> {what}</span>
    </button>
  );
}

/** Shows a button that copies the address of something on the server's page. */
export function CopyLink({ to, what }: { readonly to: string; readonly what: string }) {
  return <Copy text={new URL(to, location.origin).href} what={what} label="Copy link" icon="link" />;
}

/**
 * Copies a text; resolves to whether that succeeded. Over plain HTTP from another machine, browsers offer no clipboard, so it
 * copies from a text field.
 */
async function toClipboard(text: string): Promise<boolean> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard !== undefined)
    return clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  // The only way without a clipboard.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
