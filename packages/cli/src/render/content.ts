import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContentBlock, ToolOutcome } from "@toolmount/core";
import { makeFolder } from "@toolmount/paths";
import { printable, printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** The content of one file, and the name under which it is written. */
interface ContentFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Writes the images, sounds and resources of an outcome into a folder, with names such as `read_chart-1.png`. An existing file is
 * not overwritten: the new one gets a number in its name. Returns the paths.
 */
export async function saveContent({ tool, result }: ToolOutcome, folder: string): Promise<string[]> {
  const files = (result.content ?? []).flatMap((block, at) => fileOf(tool, block, at + 1) ?? []);
  if (files.length > 0) makeFolder(folder);
  const paths: string[] = [];
  for (const file of files) paths.push(await writeNew(folder, file));
  return paths;
}

async function writeNew(folder: string, { name, bytes }: ContentFile): Promise<string> {
  const [, base = name, extension = ""] = /^(.*?)(\.[^.]*)$/.exec(name) ?? [];
  for (let count = 1; ; count++) {
    const path = join(folder, count === 1 ? name : `${base} (${count})${extension}`);
    try {
      await writeFile(path, bytes, { flag: "wx" });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function fileOf(tool: string, block: ContentBlock, number: number): ContentFile | undefined {
  const base = `${tool.replaceAll(/[^\w.-]/g, "_")}-${number}`;
  switch (block.type) {
    case "image":
    case "audio":
      return { name: `${base}.${extensionOf(block.mimeType)}`, bytes: Buffer.from(block.data, "base64") };
    case "file": {
      const { text, data, mimeType, uri } = block;
      if (text === undefined && data === undefined) return undefined;
      const bytes = data === undefined ? Buffer.from(text!) : Buffer.from(data, "base64");
      // The server chose the address, so only up to eight plain characters of its extension are used.
      const named = /[^/?#]+\.(\w{1,8})(?:[?#].*)?$/.exec(uri);
      return { name: `${base}.${named?.[1] ?? extensionOf(mimeType ?? "text/plain")}`, bytes };
    }
    case "text":
    default:
      return undefined;
  }
}

/** Returns the file extension of a media type: `png` for `image/png`, `svg` for `image/svg+xml`. */
function extensionOf(mimeType: string): string {
  const subtype = /^\w+\/(?:x-)?([\w.-]+)/.exec(mimeType)?.[1]?.toLowerCase() ?? "bin";
  return { plain: "txt", jpeg: "jpg", mpeg: "mp3" }[subtype] ?? subtype.replaceAll(/[^a-z0-9]/g, "");
}

/** Returns lines for the content of a result: texts as they are, and a short description of everything else. */
export function contentLines(screen: Screen, blocks: readonly ContentBlock[] = []): string[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case "text":
        return printableLines(block.text).split("\n");
      case "image":
      case "audio":
        return [
          screen.paint(
            "dim",
            printable(`(${block.type} ${block.mimeType}, ${sizeOf(block.data)}; --out writes it to a file)`),
          ),
        ];
      case "file": {
        const head = screen.paint("dim", printable(`(file ${block.uri})`));
        return [head, ...(block.text === undefined ? [] : printableLines(block.text).split("\n"))];
      }
      default:
        return [screen.paint("dim", printable(`(content of the type ${(block as { type: string }).type})`))];
    }
  });
}

function sizeOf(base64: string): string {
  const bytes = Buffer.byteLength(base64, "base64");
  return bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} kB`;
}
