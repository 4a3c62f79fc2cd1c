import type { ModelRules } from "@toolmount/interop";
import { digestOf } from "@toolmount/core/json";
import { isItem, readText, type Item } from "./items.ts";

/** What a model's server refused of a conversation: images and files by their digest, or all images. */
export interface RefusedParts {
  readonly provider: string;
  readonly model: string;
  /** Null for all images. */
  readonly digests: readonly string[] | null;
}

/** What a server takes, and what it has refused. */
export interface PartRules extends ModelRules {
  readonly refused?: { readonly allImages: boolean; readonly digests: ReadonlySet<string> } | undefined;
}

/** The rules of a model, with what its server refused in this session. */
export function withRefused(
  rules: ModelRules,
  model: { readonly provider: string; readonly model: string },
  refusals: readonly RefusedParts[],
): PartRules {
  const own = refusals.filter((one) => one.provider === model.provider && one.model === model.model);
  if (own.length === 0) return rules;
  const allImages = own.some(({ digests }) => digests === null);
  return { ...rules, refused: { allImages, digests: new Set(own.flatMap(({ digests }) => digests ?? [])) } };
}

export function isRefused(part: Item, { refused }: PartRules): boolean {
  const data = dataOf(part);
  if (refused === undefined || data === "") return false;
  return (refused.allImages && part["type"] === "input_image") || refused.digests.has(partDigest(part));
}

/** Names an image or a file by its content. */
export function partDigest(part: Item): string {
  return digestOf(["part", dataOf(part)]);
}

function dataOf({ type, image_url: image, file_data: file, file_url: url }: Item): string {
  if (type === "input_image") return readText(image);
  return type === "input_file" ? readText(file) || readText(url) : "";
}

/** The images, or the files, of a conversation. */
export function partsOf(items: readonly Item[], type: "input_image" | "input_file"): readonly Item[] {
  return items.flatMap(({ content, output }) =>
    [content, output]
      .flatMap((parts) => (Array.isArray(parts) ? parts : []))
      .filter((part): part is Item => isItem(part) && part["type"] === type),
  );
}
