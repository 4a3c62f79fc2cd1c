type OnError = (error: unknown) => void;
type EventListener = (event: Event) => unknown;
type Listener = EventListener | { handleEvent(event: Event): unknown };
/** Returns an abort controller for a tool. Errors of its listeners, which would end the process, go to `onError`. */
export function createGuardedController(onError: OnError): AbortController {
  const controller = new AbortController();
  handlers.set(Object.setPrototypeOf(controller.signal, guardedPrototype) as AbortSignal, onError);
  return controller;
}

/** The function that receives the errors of a signal's listeners. */
const handlers = new WeakMap<EventTarget, OnError>();

/** The guarded form of each listener, which is needed to remove the listener. */
const guardedForms = new WeakMap<object, EventListener>();

const onAborts = new WeakMap<EventTarget, EventListener>();

const original: Pick<AbortSignal, "addEventListener" | "removeEventListener"> = AbortSignal.prototype;

function guardedForm(listener: Listener): EventListener {
  const known = guardedForms.get(listener);
  if (known !== undefined) return known;
  const form = (event: Event): void => {
    const signal = event.currentTarget!;
    const onError = handlers.get(signal)!;
    try {
      const returned: unknown =
        typeof listener === "function"
          ? Reflect.apply(listener, signal, [event])
          : listener.handleEvent(event);
      if (returned instanceof Promise) returned.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
  guardedForms.set(listener, form);
  return form;
}

type Given = Listener | null | undefined;

function isListener(given: Given): given is Listener {
  return typeof given === "function" || (typeof given === "object" && given !== null);
}

const guarded = (name: keyof typeof original) => ({
  value(this: AbortSignal, type: string, listener: Given, options?: boolean | object) {
    const given = isListener(listener) ? guardedForm(listener) : listener;
    Reflect.apply(original[name], this, [type, given, options]);
  },
});

const guardedPrototype: object = Object.create(AbortSignal.prototype, {
  addEventListener: guarded("addEventListener"),
  removeEventListener: guarded("removeEventListener"),
  onabort: {
    get(this: AbortSignal) {
      return onAborts.get(this) ?? null;
    },
    set(this: AbortSignal, listener: Given) {
      const before = onAborts.get(this);
      if (before !== undefined) this.removeEventListener("abort", before);
      onAborts.delete(this);
      if (typeof listener !== "function") return;
      onAborts.set(this, listener);
      this.addEventListener("abort", listener);
    },
  },
}) as object;
