/** What the tool needs of a host; it can be left out. */
export interface Services {
  /** Reports to the host that a list was changed. */
  readonly announce?: ((event: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The event of a changed list, with the numbers of its items. */
export const changedEvent = "todo:changed";
