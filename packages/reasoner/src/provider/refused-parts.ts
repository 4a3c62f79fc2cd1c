import type { ModelFailure, ModelRules } from "@toolmount/interop";
import { digestOf } from "@toolmount/core/json";
import { isItem, readText, type Item } from "./items.ts";

/**
 * What a model's server refused: parts of conversations (by digest), all images, or something in the form of requests (`rule`).
 */
export interface RefusedParts {
  readonly provider: string;
  readonly model: string;
  /** Digests of the refused parts; null if the server refuses all images. */
  readonly digests: readonly string[] | null;
  /**
   * `schema`: it refuses schemas of tools with more than plain types. `call_id`: it refuses ids of calls as models write them.
   */
  readonly rule?: "schema" | "call_id" | undefined;
}

/** The rules of a model's server, and what it refused in this session. */
export interface PartRules extends ModelRules {
  readonly refused?:
    | { readonly allImages: boolean; readonly schemas: boolean; readonly digests: ReadonlySet<string> }
    | undefined;
}

/** Returns the rules of a model with what its server refused in this session. */
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

/** Matches ids that every known server accepts. Source: an error of Mistral, whose rule is the strictest. */
const shortId = /^[a-zA-Z0-9]{9}$/;

export function isRefused(part: Item, { refused }: PartRules): boolean {
  const data = dataOf(part);
  if (refused === undefined || data === "") return false;
  return (refused.allImages && part["type"] === "input_image") || refused.digests.has(partDigest(part));
}

/** Returns a digest of the content of an image, a file, or data that only a provider can read. */
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

/** Returns the parts of a conversation that a server may have meant when it refused parts of this kind. */
export function partsOf(items: readonly Item[], refused: ModelFailure["refused"]): readonly Item[] {
  if (refused === "reasoning") return items.filter((item) => dataOf(item) !== "");
  const type = refused === "file" ? "input_file" : "input_image";
  return items.flatMap(({ content, output }) =>
    [content, output]
      .flatMap((parts) => (Array.isArray(parts) ? parts : []))
      .filter((part): part is Item => isItem(part) && part["type"] === type),
  );
}

/**
 * Returns a schema with plain types only, for a server that refused the tool's own. The host still checks arguments with the
 * tool's own schema.
 */
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
