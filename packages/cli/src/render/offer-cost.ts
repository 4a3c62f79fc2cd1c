import type { Offer } from "@toolmount/core";

/** The forms of tool definitions that providers accept. */
export const formNames = ["openai", "chat", "anthropic", "gemini", "mcp"] as const;

export type FormName = (typeof formNames)[number];

type Tokens = Readonly<Partial<Record<FormName, number>>>;

/** The tokens of one tool's definition in each form. */
export interface ToolCost {
  readonly name: string;
  readonly tokens: Tokens;
}

/** The tokens that an offer of tools costs in each request, counted in the encoding o200k. */
export interface OfferCost {
  readonly tools: readonly ToolCost[];
  /** The text for the system prompt; the same in every form. */
  readonly guidance: number;
  /** Definitions and guidance. */
  readonly total: Tokens;
}

/** Counts the tokens of an offer: each definition as the JSON that a provider gets. */
export async function measureOffer(
  { tools, guidance }: Offer,
  forms: readonly FormName[],
): Promise<OfferCost> {
  const [{ countText: count }, definitions] = await Promise.all([
    import("../carried/tokenizer.ts"),
    definitionsOf(tools, forms),
  ]);
  const costs = tools.map(({ name }, at) => ({
    name,
    tokens: byForm(forms, (form) => count(JSON.stringify(definitions[form]?.[at]))),
  }));
  const ofGuidance = count(guidance);
  const total = byForm(
    forms,
    (form) => costs.reduce((sum, { tokens }) => sum + (tokens[form] ?? 0), 0) + ofGuidance,
  );
  return { tools: costs, guidance: ofGuidance, total };
}

function byForm<Value>(
  forms: readonly FormName[],
  make: (form: FormName) => Value,
): Readonly<Partial<Record<FormName, Value>>> {
  return Object.fromEntries(forms.map((form) => [form, make(form)]));
}

/** Returns the definitions of the tools in each form, in the same order. */
async function definitionsOf(tools: Offer["tools"], forms: readonly FormName[]) {
  const { toAnthropic, toChatTools, toGemini, toOpenAI } = await import("@toolmount/interop");
  const make: Readonly<Record<FormName, () => readonly object[]>> = {
    openai: () => toOpenAI(tools).tools,
    chat: () => toChatTools(toOpenAI(tools)),
    anthropic: () => toAnthropic(tools).tools,
    gemini: () => toGemini(tools).tools[0].functionDeclarations,
    mcp: () => tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  };
  return byForm(forms, (form) => make[form]());
}
