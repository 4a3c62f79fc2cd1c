import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { BundleReading, Home, Reference } from "./bundle.ts";
import { findMention, isFileIn } from "./find-bundle.ts";

/**
 * Maximum number of files that are added to one text, and how many steps mentions in mentioned files are followed. Source of the depth:
 * Amplifier's loader.
 */
const maxFiles = 200;
const maxDepth = 3;

/**
 * Returns a text followed by the files that it mentions, each once. The mentions stay in the text as names. The files of `more`
 * are added even if they are not mentioned. A missing file is reported, because the prompt would lack its rules.
 */
export async function withMentions(
  text: { readonly body: string; readonly home: Home } | undefined,
  more: readonly Reference[],
  reading: BundleReading,
): Promise<string> {
  const blocks = new Map<string, string>();
  for (const one of more) await add(one, one.home.file, 0, { ...reading, blocks });
  if (text !== undefined)
    for (const written of mentionsOf(text.body))
      await add({ written, home: text.home }, text.home.file, 1, { ...reading, blocks });
  return [text?.body ?? "", ...blocks.values()].filter((part) => part !== "").join("\n\n");
}

type Adding = BundleReading & { readonly blocks: Map<string, string> };

async function add(reference: Reference, namedIn: string, depth: number, adding: Adding): Promise<void> {
  const { blocks, bundles, readText, complainOf: complain } = adding;
  const isOfBundle = reference.written.includes(":") || depth === 0;
  const found = isOfBundle
    ? findMention(reference.written, { home: reference.home, bundles })
    : findOwn(reference.written, adding.project);
  if (found === undefined) return;
  if ("problem" in found) return complain(namedIn, found.problem);
  if (blocks.has(found.file)) return;
  if (blocks.size >= maxFiles) return complain(namedIn, `a text has at most ${maxFiles} files`);
  const content = found.isFolder ? namesIn(found.file) : await readText(found.file);
  if (content === undefined) return complain(namedIn, `${reference.written} cannot be read as a text`);
  blocks.set(found.file, `<context_file paths="@${reference.written}">\n${content.trim()}\n</context_file>`);
  const inner = depth < maxDepth && !found.isFolder ? mentionsOf(content) : [];
  for (const written of inner) await add({ written, home: found.home }, found.file, depth + 1, adding);
}

/**
 * Finds the file of a mention without the name of a bundle, in the project's folder. Undefined if the project does not have it.
 */
function findOwn(written: string, project: string) {
  const file = join(project, written);
  const home: Home = { file, root: project, fetched: undefined };
  return isFileIn(file, project) ? { file, home, isFolder: false } : undefined;
}

function namesIn(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted()
    .join("\n");
}

const mention = /(?<![\w.+-])@([\w:./~-]+)/g;

/** Returns the references of a text, except those in code. A word such as `@ada` or `@acme/notes` is not a reference. */
function mentionsOf(text: string): readonly string[] {
  const plain = text.replaceAll(/^```[^\n]*\n[^]*?^```/gm, "").replaceAll(/(?<!`)`(?!`)[^`]+`/g, "");
  const written = [...plain.matchAll(mention)].map(([, name = ""]) => name.replace(/[.:,~-]+$/, ""));
  return [...new Set(written)].filter((name) => /^[\w.-]+:[\w./-]+$|\.[a-z]{2,4}$/.test(name));
}
