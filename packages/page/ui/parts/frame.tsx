import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../icons.tsx";
import { announced, notices } from "../state.ts";

interface TopProps {
  readonly title: string;
  readonly about?: string;
  readonly children?: ComponentChildren;
}

/** The head of a view: its name, a line about it, and what acts on all of it. */
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

/** What stands where nothing is: why, and what to do next. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** What was said to the person, also for a screen reader. */
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
