import { useSignal } from "@preact/signals";
import { Icon } from "../icons.tsx";

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
