import type { ContentBlock, ToolOutcome } from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";

/** An image, base64. */
export interface ResultImage {
  readonly data: string;
  readonly mimeType: string;
}

/** Media types that model APIs take. Source: the references of Anthropic and OpenAI about images. */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The media type of an image that a model can see. */
export type ImageType = (typeof imageTypes)[number];

/** Whether model APIs take images of a type. An image of another type would fail the whole request. */
export function isImageType(mimeType: string): mimeType is ImageType {
  return imageTypes.some((type) => type === mimeType);
}

/** The sentence that a model reads in place of an image of another type. */
export function unseenImage(mimeType: string): string {
  return `(an image of the type ${mimeType})`;
}

/** The address of an image that contains it. */
export function dataUrl({ mimeType, data }: ResultImage): string {
  return `data:${mimeType};base64,${data}`;
}

/** The images of a result that a model can see, and a sentence for each of another type. */
export function imagesIn(content: readonly ContentBlock[] = []): {
  readonly images: readonly ResultImage[];
  readonly notes: readonly string[];
} {
  const blocks = content.filter((block) => block.type === "image");
  return {
    images: blocks.filter(({ mimeType }) => isImageType(mimeType)),
    notes: blocks
      .filter(({ mimeType }) => !isImageType(mimeType))
      .map(({ mimeType }) => unseenImage(mimeType)),
  };
}

/** What a model reads of an outcome, and the images that it sees. */
export function seenOf(outcome: ToolOutcome): {
  readonly text: string;
  readonly images: readonly ResultImage[];
} {
  const { images, notes } = imagesIn(outcome.result.content);
  return { text: [outcomeText(outcome), ...notes].filter((line) => line !== "").join("\n"), images };
}
