import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { ask } from "./api.ts";
import { connection, hostPath, textOf } from "./state.ts";

/** A value from the server, or an error message; null while it loads. */
type Loaded<Value> = { readonly value: Value } | { readonly problem: string } | null;

/** Loads the value at `path` of the shown host. Loads it again when `again` changes, or when the connection has returned. */
export function useLoaded<Value>(path: string, again?: Signal<unknown>): Signal<Loaded<Value>> {
  const loaded = useSignal<Loaded<Value>>(null);
  useSignalEffect(() => {
    void again?.value;
    if (connection.value === "lost") return;
    void ask<Value>("GET", `${hostPath.value}${path}`).then(
      (value) => (loaded.value = { value }),
      (error: unknown) => (loaded.value = { problem: textOf(error) }),
    );
  });
  return loaded;
}

/** Shows that a value still loads, or why it could not be loaded. */
export function Missing({ loaded }: { readonly loaded: Loaded<unknown> }) {
  if (loaded !== null && "value" in loaded) return null;
  const isAway = loaded === null && connection.value === "lost";
  const text = isAway ? "The server does not answer now. The page reads it when it is back." : "Reading…";
  return <p class="nothing">{loaded?.problem ?? text}</p>;
}
