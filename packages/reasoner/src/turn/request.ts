import type { Offer } from "@toolmount/core";
import { dropOptionalNulls, toOpenAI } from "@toolmount/interop";
import type { Settings } from "../config.ts";
import type { FunctionCall, Item } from "../provider/items.ts";
import type { ModelRequest } from "../provider/provider.ts";
import type { SessionView } from "../session/view.ts";
import { strictSchema } from "../provider/strict-schema.ts";

/** A request, and the way back from the calls of its answer to the host's tools. */
export interface Exchange {
  readonly body: ModelRequest;
  readCall(call: FunctionCall): { readonly id: string; readonly name: string; readonly arguments: string };
}

/** Puts a request together: instructions and guidance, the conversation, the tools of the offer. */
export function createExchange(
  view: SessionView,
  offer: Offer,
  ephemeral: readonly Item[],
  instructions: readonly (string | undefined)[],
  settings: Settings,
): Exchange {
  const { names, tools } = toOpenAI(offer.tools);
  const strict = new Map(
    settings.strictSchemas ? offer.tools.map((tool) => [tool.name, strictSchema(tool.inputSchema)]) : [],
  );
  const schemaOf = new Map(offer.tools.map((tool) => [tool.name, tool.inputSchema]));
  const told = tools.map((tool) => {
    const schema = strict.get(names.fromProvider(tool.name)) ?? null;
    return schema === null ? tool : { ...tool, parameters: schema, strict: true };
  });
  const text = [...instructions, offer.guidance].filter(Boolean).join("\n\n");
  const { reasoning, temperature, maxOutputTokens, parallelToolCalls, store } = settings;
  const body = {
    ...conversationOf(view, ephemeral, settings),
    ...(text !== "" && { instructions: text }),
    ...(told.length > 0 && { tools: told, parallel_tool_calls: parallelToolCalls }),
    store,
    ...(reasoning !== undefined && { reasoning }),
    ...(reasoning !== undefined && !store && { include: ["reasoning.encrypted_content"] }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  };
  return {
    body,
    readCall({ callId, name, arguments: given }) {
      const mounted = names.fromProvider(name);
      const isStrict = (strict.get(mounted) ?? null) !== null;
      return {
        id: callId,
        name: mounted,
        arguments: isStrict ? withoutNulls(given, schemaOf.get(mounted)) : given,
      };
    },
  };
}

/** The session is ours: where the server has a part of it, only the rest is sent; it can always be sent whole. */
function conversationOf(view: SessionView, ephemeral: readonly Item[], { continueBy }: Settings) {
  const { items, response } = view;
  if (continueBy === "response" && response !== null)
    return { previous_response_id: response.id, input: [...items.slice(response.known), ...ephemeral] };
  return { input: [...items, ...ephemeral] };
}

/** What strict mode made null is absent again. A text that is no JSON stays as it is: the host says what is wrong. */
function withoutNulls(given: string, schema: unknown): string {
  try {
    return JSON.stringify(dropOptionalNulls(JSON.parse(given), schema));
  } catch {
    return given;
  }
}
