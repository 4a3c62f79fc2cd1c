import type { ContentBlock, ToolOutcome } from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";

/** An image that models can see, in base64. */
export interface ResultImage {
  readonly data: string;
  readonly mimeType: ImageType;
}

/** A file that models can read, in base64. */
interface ResultFile {
  readonly name: string;
  readonly uri: string;
  readonly data: string;
  readonly mimeType: typeof pdf;
}

/** Those parts of a result's content that a model gets. */
export interface SeenContent {
  readonly images: readonly ResultImage[];
  readonly files: readonly ResultFile[];
  /** Texts of text files, and a sentence for each block that models cannot see. */
  readonly notes: readonly string[];
}

/** The only media type of binary files that model APIs accept. Source: the references of Anthropic, Google and OpenAI. */
const pdf = "application/pdf";

/** Media types of images that model APIs accept. Source: the references of Anthropic and OpenAI about images. */
const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The media type of an image that a model can see. */
export type ImageType = (typeof imageTypes)[number];

/** Whether model APIs accept images of a type. Any other image would make the whole request fail. */
function isImageType(mimeType: string): mimeType is ImageType {
  return imageTypes.some((type) => type === mimeType);
}

/** Returns the sentence that a model reads instead of an image that it cannot see. */
export function unseenImage(mimeType: string): string {
  return `(an image of the type ${mimeType})`;
}

/** Returns the sentence that a model reads instead of audio. */
export function unheardAudio(mimeType: string): string {
  return `(audio of the type ${mimeType}, which a model cannot read here)`;
}

/** Returns a `data:` address that contains an image or a file. */
export function dataUrl({ mimeType, data }: ResultImage | ResultFile): string {
  return `data:${mimeType};base64,${data}`;
}

/** Returns the images and files of a result that a model can see, and texts instead of the others. */
export function contentOf(content: readonly ContentBlock[] = []): SeenContent {
  const images: ResultImage[] = [];
  const files: ResultFile[] = [];
  const notes: string[] = [];
  for (const block of content) {
    if (block.type === "file") {
      const file = fileOf(block);
      if (typeof file === "string") notes.push(file);
      else files.push(file);
    } else if (block.type === "image") {
      const { data, mimeType } = block;
      if (isImageType(mimeType)) images.push({ data, mimeType });
      else notes.push(unseenImage(mimeType));
    } else if (block.type === "audio") notes.push(unheardAudio(block.mimeType));
  }
  return { images, files, notes };
}

/** Returns a sentence for each image and file, for a model whose server accepts none in results. */
export function leftOut({ images, files }: Pick<SeenContent, "images" | "files">): string[] {
  const reason = "this model gets none from results";
  return [
    ...images.map(({ mimeType }) => `(an image of the type ${mimeType} is left out: ${reason})`),
    ...files.map(({ name, uri }) => `(the file ${name} is left out: ${reason}; its address is ${uri})`),
  ];
}

/** Returns the text that a model reads of an outcome, and the images and files that it sees. */
export function seenOf(outcome: ToolOutcome): Omit<SeenContent, "notes"> & { readonly text: string } {
  const { images, files, notes } = contentOf(outcome.result.content);
  return { text: [outcomeText(outcome), ...notes].filter((line) => line !== "").join("\n"), images, files };
}

/** Returns a PDF as a file, a text file as a sentence with its text, and for any other file a sentence with its address. */
export function fileOf(block: Extract<ContentBlock, { type: "file" }>): ResultFile | string {
  const { uri, name = lastOf(uri), mimeType = "", text, data = "" } = block;
  if (text !== undefined) return `The file ${name}:\n${text}`;
  // The servers check the bytes, and refuse a request in which the type does not fit them.
  if (data.startsWith("JVBERi")) return { name, uri, data, mimeType: pdf };
  if (data !== "" && isTextType(mimeType))
    return `The file ${name}:\n${Buffer.from(data, "base64").toString("utf8")}`;
  if (data === "") return `(the file ${name} is at ${uri})`;
  const type = mimeType === "" ? "no known type" : `the type ${mimeType}`;
  return `(the file ${name} is left out: it is of ${type}, and models read PDF and text; its address is ${uri})`;
}

function lastOf(uri: string): string {
  return uri.split(/[/:]/).findLast((part) => part !== "") ?? uri;
}

function isTextType(mimeType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|javascript)\b|\+(json|xml)\b/.test(mimeType);
}
