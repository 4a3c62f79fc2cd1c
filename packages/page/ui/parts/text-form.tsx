import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface TextFormProps {
  readonly label: string;
  readonly button: string;
  readonly text: Signal<string>;
  readonly busy: Signal<boolean>;
  readonly send: () => Promise<void>;
  readonly children?: ComponentChildren;
}

/** Shows a field for a few lines of text, and the button that sends it. */
export function TextForm({ label, button, text, busy, send, children }: TextFormProps) {
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label>
        {label}
        <textarea
          rows={2}
          required
          value={text}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="go" disabled={busy}>
        {button}
      </button>
      {children}
    </form>
  );
}
