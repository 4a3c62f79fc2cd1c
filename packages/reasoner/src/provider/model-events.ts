/** What a request to the model reports while it runs. */
export type ModelEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  /** The request is made again; what it streamed before does not count. */
  | { readonly type: "retry"; readonly kind: string; readonly afterMs: number };
