import type { Offer } from "@toolmount/core";
import { dropOptionalNulls, toOpenAI } from "@toolmount/interop";
import type { Settings } from "../config/settings.ts";
import type { FunctionCall, Item } from "../provider/items.ts";
import type { ModelRequest } from "../provider/model.ts";
import type { SessionView } from "../session/view.ts";
import { strictSchema } from "../provider/strict-schema.ts";

/** A request, and the translation of the calls in its answer to calls of the host's tools. */
export interface Exchange {
  readonly body: ModelRequest;
  readCall(call: FunctionCall): { readonly id: string; readonly name: string; readonly arguments: string };
}

/** Builds a request: instructions and guidance, the conversation, the offered tools. */
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
  const sent = tools.map((tool) => {
    const schema = strict.get(names.fromProvider(tool.name)) ?? null;
    return schema === null ? tool : { ...tool, parameters: schema, strict: true };
  });
  const text = [...instructions, offer.guidance].filter(Boolean).join("\n\n");
  const { reasoning, temperature, maxOutputTokens, parallelToolCalls, store } = settings;
  const body = {
    ...conversationOf(view, ephemeral, settings),
    ...(text !== "" && { instructions: text }),
    ...(sent.length > 0 && { tools: sent, parallel_tool_calls: parallelToolCalls }),
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

/** The conversation, or only the items that the server does not have yet. */
function conversationOf(view: SessionView, ephemeral: readonly Item[], { continueBy }: Settings) {
  const { items, response } = view;
  if (continueBy === "response" && response !== null)
    return { previous_response_id: response.id, input: [...items.slice(response.known), ...ephemeral] };
  return { input: [...items, ...ephemeral] };
}

/** Removes the nulls that strict mode needs for absent properties. Invalid JSON stays: the host reports it. */
function withoutNulls(given: string, schema: unknown): string {
  try {
    return JSON.stringify(dropOptionalNulls(JSON.parse(given), schema));
  } catch {
    return given;
  }
}
