/** Services of a host that the tool uses; all are optional. */
export interface Services {
  /** Reports to the host that a list was changed. */
  readonly announce?: ((event: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The event of a changed list, with the numbers of its items. */
export const changedEvent = "todo:changed";
