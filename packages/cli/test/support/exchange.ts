/** A call that a model makes. */
export const call = (id: string, name: string, given: object = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(given),
});

/** A message of a model. */
export const say = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

/** One answer of a server that does not stream. */
export const response = (...output: object[]) => ({
  response: {
    id: "r",
    status: "completed",
    model: "m",
    output,
    usage: { input_tokens: 3, output_tokens: 2 },
  },
});
