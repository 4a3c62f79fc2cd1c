import type { ModelRequest } from "@toolmount/interop";
import { hostOf } from "./response.ts";
import { canBeCarried, isItem, type Item } from "./items.ts";

/**
 * Returns the body of a request to the Responses API, and names of the parts that were left out because the server would refuse
 * them.
 */
export function responsesBody(
  { instructions, items, previousResponseId, tools, settings }: ModelRequest,
  { model, provider }: { readonly model: string; readonly provider: string },
  wantsEncrypted: boolean,
): { readonly body: object; readonly omitted: readonly string[] } {
  const { stream, temperature, maxOutputTokens, parallelToolCalls, reasoning, output, store } = settings;
  const input = items.flatMap((item) => ownItem(item, provider));
  const offered = tools.map(({ name, description, schema, strict }) => ({
    type: "function",
    name,
    description,
    parameters: schema,
    strict,
  }));
  const body = {
    ...(previousResponseId !== null && { previous_response_id: previousResponseId }),
    input,
    ...(instructions !== "" && { instructions }),
    ...(offered.length > 0 && { tools: offered, parallel_tool_calls: parallelToolCalls }),
    store,
    ...(reasoning !== undefined && { reasoning }),
    ...(output !== undefined && { text: { format: { type: "json_schema", name: "answer", ...output } } }),
    ...(!store && wantsEncrypted && { include: ["reasoning.encrypted_content"] }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    model,
    stream,
  };
  return { body, omitted: input.length < items.length ? ["reasoning of another provider"] : [] };
}

/**
 * Removes what this server cannot read from an item: data of another provider, and encrypted reasoning of another server. Empty
 * if nothing is left.
 */
function ownItem(item: Item, provider: string): Item[] {
  const { provider_metadata: metadata, ...own } = item;
  if (metadata === undefined) return [item];
  if (own["type"] !== "reasoning") return [own];
  if (isItem(metadata) && metadata["provider"] === hostOf(provider)) return [own];
  const { encrypted_content: _, ...open } = own;
  return canBeCarried(open) ? [open] : [];
}
