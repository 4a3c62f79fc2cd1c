import { refusalOf } from "@toolmount/core/json";
import { guidanceBesideDefinitions } from "@toolmount/core/sessions";
import type { Offer } from "@toolmount/core";
import { type Model, type ModelRequest, type ModelSettings, toOpenAI } from "@toolmount/interop";
import { createNameMap, dropOptionalNulls } from "@toolmount/interop/internal";
import type { Settings } from "../config/settings.ts";
import type { FunctionCall, Item } from "../provider/items.ts";
import { legalItems, nameRule, rulesOf } from "../provider/legal-items.ts";
import { wrongConfiguration } from "../provider/model-error.ts";
import { plainSchema, type PartRules } from "../provider/refused-parts.ts";
import { repairArguments } from "../provider/repair-arguments.ts";
import { strictSchema } from "../provider/strict-schema.ts";
import type { SessionView } from "../session/view.ts";
import { admits } from "./live-turns.ts";
import type { TurnState } from "./turn-state.ts";

/** Returns the tools for the next request. They change with the mode and with activated tools; an agent may have fewer. */
export async function offerTools({ session, live, turnId }: TurnState): Promise<Offer> {
  const offer = await session.offer({ turnId });
  if (live.allowed.length === 0) return offer;
  const isAllowed = ({ name }: { readonly name: string }) => admits(live.allowed, name);
  const tools = offer.tools.filter(isAllowed);
  const available = offer.available.filter(isAllowed);
  return {
    ...offer,
    tools,
    available,
    guidance: [offer.modeText, guidanceBesideDefinitions(tools, available)].filter(Boolean).join("\n\n"),
  };
}

/** Builds the next request: the conversation, the injected items and the offered tools. */
export function exchangeOf(state: TurnState, offer: Offer): Exchange {
  const { log, settings, agent, ephemeral, model } = state;
  const instructions = [settings.instructions, agent?.instructions];
  return createExchange({ view: log.view, offer, ephemeral, instructions, settings, model });
}
/** A request, and the translation of the calls in its answer to calls of the host's tools. */
export interface Exchange {
  readonly request: ModelRequest;
  /** With `strictSchemas`, the tools whose schema strict mode cannot express. They are sent without strict mode. */
  readonly notStrict: readonly string[];
  /** Settings that the model cannot fulfil, each with what happens instead. */
  readonly fallbacks: readonly string[];
  readCall(call: FunctionCall): { readonly id: string; readonly name: string; readonly arguments: string };
}

/** The parts from which a request is built. */
interface Conversation {
  readonly view: SessionView;
  readonly offer: Offer;
  /** Items for this request only. */
  readonly ephemeral: readonly Item[];
  readonly instructions: readonly (string | undefined)[];
  readonly settings: Settings;
  readonly model: Model;
}

/**
 * Builds a request: instructions and guidance, the conversation, the offered tools. Parts that the model cannot handle are left
 * out if an answer is possible without them. Throws a `ModelError` if tools are offered and the model cannot call tools.
 */
function createExchange({ view, offer, ephemeral, instructions, settings, model }: Conversation): Exchange {
  const { abilities } = model;
  if (offer.tools.length > 0 && !abilities.tools)
    throw wrongConfiguration(model, noTools(model, offer.tools.length));
  const names = createNameMap(
    offer.tools.map(({ name }) => name),
    nameRule,
  );
  const { tools } = toOpenAI(offer.tools);
  const strict = new Map(
    settings.strictSchemas ? offer.tools.map((tool) => [tool.name, strictSchema(tool.inputSchema)]) : [],
  );
  const rules = rulesOf(model, view.refusedParts);
  const isPlain = rules.refused?.schemas === true;
  const schemaOf = new Map(offer.tools.map((tool) => [tool.name, tool.inputSchema]));
  const offered = tools.map(({ description, parameters }, at) => {
    const { name } = offer.tools[at]!;
    const schema = isPlain ? null : (strict.get(name) ?? null);
    return {
      name: names.toProvider(name),
      description,
      schema: isPlain ? { type: "object", ...plainSchema(parameters) } : (schema ?? parameters),
      strict: schema !== null,
    };
  });
  return {
    request: {
      instructions: [...instructions, offer.guidance].filter(Boolean).join("\n\n"),
      ...conversationOf(view, ephemeral, rules, settings.store === "continue" && abilities.serverState),
      tools: offered,
      settings: {
        stream: settings.stream && abilities.streaming,
        temperature: settings.temperature,
        maxOutputTokens: settings.maxOutputTokens,
        parallelToolCalls: settings.parallelToolCalls && abilities.parallelCalls,
        reasoning: settings.reasoning,
        output: outputOf(settings.outputSchema),
        store: settings.store !== false && abilities.serverState,
      },
    },
    fallbacks: fallbacksOf(model, settings, offer),
    notStrict: [...strict].flatMap(([name, schema]) => (schema === null ? [name] : [])),
    readCall({ callId, name, arguments: written, custom }) {
      const mounted = names.fromProvider(name);
      const given = custom ? written : repairArguments(written, schemaOf.get(mounted));
      const isStrict = (strict.get(mounted) ?? null) !== null;
      return {
        id: callId,
        name: mounted,
        arguments: isStrict ? withoutNulls(given, schemaOf.get(mounted)) : given,
      };
    },
  };
}

/** Returns how the answer's schema is sent: in strict mode if strict mode can express it. Undefined without a schema. */
function outputOf(schema: Settings["outputSchema"]): ModelSettings["output"] {
  if (schema === undefined) return undefined;
  const strict = strictSchema(schema);
  return { schema: strict ?? schema, strict: strict !== null };
}

function noTools({ model, provider }: Model, count: number): string {
  const offered = count === 1 ? "a tool" : `${count} tools`;
  return `${model} on ${provider} cannot call tools, and this session offers ${offered}; choose a model that can, or run it without tools`;
}

function fallbacksOf({ model, abilities }: Model, settings: Settings, { tools }: Offer): readonly string[] {
  return [
    settings.stream && !abilities.streaming ? `${model} cannot stream; each answer arrives in one piece` : "",
    settings.parallelToolCalls && !abilities.parallelCalls && tools.length > 0
      ? `${model} cannot make several calls in one answer; it is asked for one at a time`
      : "",
    settings.store !== false && !abilities.serverState
      ? `${model} has no server that stores responses; the whole conversation is sent each time`
      : "",
  ].filter((text) => text !== "");
}

/** Returns the conversation, or only the items that the server does not have yet, in the form that the server accepts. */
function conversationOf(
  { items, response }: SessionView,
  ephemeral: readonly Item[],
  rules: PartRules,
  isKept: boolean,
): Pick<ModelRequest, "previousResponseId" | "items"> {
  const isContinued = isKept && response !== null;
  const given = [...items.slice(isContinued ? response.known : 0), ...ephemeral];
  return {
    previousResponseId: isContinued ? response.id : null,
    items: legalItems(given, { rules, isContinued }),
  };
}

/** Removes the nulls that strict mode needs for absent properties. Invalid JSON stays, and the host reports it. */
function withoutNulls(given: string, schema: unknown): string {
  if (refusalOf(given) !== null) return given;
  try {
    return JSON.stringify(dropOptionalNulls(JSON.parse(given), schema));
  } catch {
    return given;
  }
}
