/** Events while a request to the model runs. */
export type ModelEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  /** A warning that does not fail the turn, but may affect the answer. `tool` is empty if it is not about a tool. */
  | { readonly type: "tool_warning"; readonly tool: string; readonly message: string }
  /** The request is sent again. Text that it streamed before is no part of the answer. */
  | { readonly type: "retry"; readonly kind: string; readonly afterMs: number };
