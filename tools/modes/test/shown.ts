/** What the tool shows of each mode. */
export interface Shown {
  readonly modes: readonly {
    readonly id: string;
    readonly key: string;
    readonly displayName: string;
    readonly description: string;
    readonly isDefault: boolean;
  }[];
}

/** The payload as the text that would cross a wire. */
export function toolResultText({ data }: { readonly data?: unknown }): string {
  return JSON.stringify(data);
}
