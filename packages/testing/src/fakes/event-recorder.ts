import type { EventData, Hooks } from "@toolmount/core";

/** A recorded event. */
export interface RecordedEvent {
  readonly event: string;
  readonly data: EventData;
}

/** Records events in order. */
export interface EventRecorder {
  readonly events: readonly RecordedEvent[];
  /** Names of the events, in order. */
  readonly names: readonly string[];
  /** Returns the data of all events of a name. */
  of(event: string): readonly EventData[];
  clear(): void;
  /** Stops listening. */
  stop(): void;
  /** Records an event that is emitted to the recorder itself, for code that gets the recorder instead of hooks. */
  emit(event: string, data?: EventData): Promise<{ readonly action: "continue"; readonly data: EventData }>;
}

/** Records the events of `hooks`. Without `hooks`, it records the events that are emitted to the recorder itself. */
export function createEventRecorder(hooks?: Pick<Hooks, "observe">): EventRecorder {
  const events: RecordedEvent[] = [];
  const stop = hooks?.observe("*", (event, data) => void events.push({ event, data })) ?? (() => {});
  return {
    events,
    get names() {
      return events.map(({ event }) => event);
    },
    of: (name) => events.filter(({ event }) => event === name).map(({ data }) => data),
    clear: () => void events.splice(0),
    stop,
    emit: async (event, data = {}) => {
      events.push({ event, data });
      return { action: "continue", data };
    },
  };
}
