import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../icons.tsx";
import { announced, notices } from "../state.ts";

interface TopProps {
  readonly title: string;
  readonly about?: string;
  readonly children?: ComponentChildren;
}

/** Shows the head of a view: its name, a line about it, and controls for the whole view. */
export function Top({ title, about = "", children }: TopProps) {
  return (
    <header class="top">
      <h1>{title}</h1>
      {about !== "" && <p>{about}</p>}
      {children}
    </header>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Fills an empty view with a note that says why it is empty, and what to do next. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Shows the notices for the person, and passes them to screen readers. */
export function Says() {
  return (
    <>
      <p class="quiet" role="status">
        {announced.value}
      </p>
      <div class="notices" role="status" aria-live="polite">
        {notices.value.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </>
  );
}
