/** The events of a request to the model while it runs. */
export type ModelEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  /** A problem that changes the answer but does not fail the turn; `tool` is empty when it is not about a tool. */
  | { readonly type: "tool_warning"; readonly tool: string; readonly message: string }
  /** The request is repeated; the text that it streamed before does not count. */
  | { readonly type: "retry"; readonly kind: string; readonly afterMs: number };
