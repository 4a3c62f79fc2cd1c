/** Services of a host that the tool uses; all are optional. */
export interface Services {
  /** Reports to the host that a call created or updated a list. */
  readonly announce?: ((event: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The event for a list that was created or updated, with the number of items of each status. */
export const changedEvent = "todo:changed";
