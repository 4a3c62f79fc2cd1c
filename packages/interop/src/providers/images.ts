import type { ContentBlock, ToolOutcome } from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";

/** An image, base64. */
interface ResultImage {
  readonly data: string;
  readonly mimeType: string;
}

/** Media types that model APIs take. An image of another type would fail the whole request. */
const taken: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** The images of a result that a model can see, and a sentence for each of another type. */
export function imagesIn(content: readonly ContentBlock[] = []): {
  readonly images: readonly ResultImage[];
  readonly notes: readonly string[];
} {
  const blocks = content.filter((block) => block.type === "image");
  return {
    images: blocks.filter(({ mimeType }) => taken.includes(mimeType)),
    notes: blocks
      .filter(({ mimeType }) => !taken.includes(mimeType))
      .map(({ mimeType }) => `(an image of the type ${mimeType})`),
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
