import type { ModelFailure, ModelRules } from "@toolmount/interop";
import { digestOf } from "@toolmount/core/json";
import { isItem, readText, type Item } from "./items.ts";

/** The parts of a request that a model's server refused: parts of the conversation by digest, all images, or a form of other parts. */
export interface RefusedParts {
  readonly provider: string;
  readonly model: string;
  /** Null for all images. */
  readonly digests: readonly string[] | null;
  /** `schema`: schemas of tools beyond plain types. `call_id`: ids of calls as models write them. */
  readonly rule?: "schema" | "call_id" | undefined;
}

/** The rules of a server, with the parts that it has refused. */
export interface PartRules extends ModelRules {
  readonly refused?:
    | { readonly allImages: boolean; readonly schemas: boolean; readonly digests: ReadonlySet<string> }
    | undefined;
}

/** Returns the rules of a model, with the parts that its server refused in this session. */
export function withRefused(
  rules: ModelRules,
  model: { readonly provider: string; readonly model: string },
  refusals: readonly RefusedParts[],
): PartRules {
  const own = refusals.filter((one) => one.provider === model.provider && one.model === model.model);
  if (own.length === 0) return rules;
  const allImages = own.some(({ digests }) => digests === null);
  const has = (rule: RefusedParts["rule"]) => own.some((one) => one.rule === rule);
  const refused = {
    allImages,
    schemas: has("schema"),
    digests: new Set(own.flatMap(({ digests }) => digests ?? [])),
  };
  return { ...rules, ...(has("call_id") && { callId: shortId }), refused };
}

/** The form of ids that every known server accepts. Source: Mistral's error, the strictest one. */
const shortId = /^[a-zA-Z0-9]{9}$/;

export function isRefused(part: Item, { refused }: PartRules): boolean {
  const data = dataOf(part);
  if (refused === undefined || data === "") return false;
  return (refused.allImages && part["type"] === "input_image") || refused.digests.has(partDigest(part));
}

/** Identifies an image, a file, or a provider's sealed data by its content. */
export function partDigest(part: Item): string {
  return digestOf(["part", dataOf(part)]);
}

function dataOf(part: Item): string {
  const { type, image_url: image, file_data: file, file_url: url } = part;
  if (type === "input_image") return readText(image);
  if (type === "input_file") return readText(file) || readText(url);
  const { encrypted_content: sealed, provider_metadata: metadata } = part;
  return readText(sealed) || (isItem(metadata) ? JSON.stringify(metadata) : "");
}

/** Returns the parts of a conversation to which a refusal of this kind may apply. */
export function partsOf(items: readonly Item[], refused: ModelFailure["refused"]): readonly Item[] {
  if (refused === "reasoning") return items.filter((item) => dataOf(item) !== "");
  const type = refused === "file" ? "input_file" : "input_image";
  return items.flatMap(({ content, output }) =>
    [content, output]
      .flatMap((parts) => (Array.isArray(parts) ? parts : []))
      .filter((part): part is Item => isItem(part) && part["type"] === type),
  );
}

/** Returns a schema with plain types only, for a server that refuses a tool's own. The host still checks arguments against that one. */
export function plainSchema(schema: unknown): Item {
  if (!isItem(schema)) return {};
  const { properties, items, ...rest } = schema;
  const kept = Object.entries(rest).filter(([key]) => plainKeys.has(key));
  const inner = isItem(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, plainSchema(one)]))
    : undefined;
  return {
    ...Object.fromEntries(kept),
    ...(inner !== undefined && { properties: inner }),
    ...(isItem(items) && { items: plainSchema(items) }),
  };
}

const plainKeys: ReadonlySet<string> = new Set(["type", "description", "enum", "required"]);
