import { measurePage } from "./measure.ts";
import { layOutPage, type LaidOutPage, type PageOptions } from "./page.ts";

/**
 * Limits of a page that is laid out. The time of a parser can grow with the square of the depth, or of the number of attributes
 * in one tag, so these are checked before the page is parsed.
 */
const most = { characters: 2_000_000, tags: 100_000, depth: 400, attributes: 20_000 };

/** Reads a page as Markdown. A page that is too large to be laid out becomes its bare text, with a warning. */
export function readPage(source: string, options: PageOptions): LaidOutPage {
  const { html, leftOut } = cutPage(source);
  const { tags, depth, attributes } = measurePage(html);
  if (tags > most.tags || depth > most.depth || attributes > most.attributes) return readBareText(source);
  try {
    const page = layOutPage(html, options);
    return { ...page, leftOut: { ...page.leftOut, ...leftOut } };
  } catch (thrown) {
    // The estimate does not count elements without an end tag. If these are nested too deeply, laying them out exceeds the
    // stack.
    if (thrown instanceof RangeError) return readBareText(source);
    throw thrown;
  }
}

/** Returns the text between the tags of a page. This takes linear time for any page. */
export function readBareText(source: string): LaidOutPage {
  const { html, leftOut } = cutPage(source);
  const text = html
    .replaceAll(/<(script|style)\b[^<>]*>[^<]*/gi, " ")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ ?\n[\n ]*/g, "\n")
    .trim();
  const warning = "the page is too large to be laid out; this is its bare text";
  return { text, leftOut, lack: null, destination: null, warnings: [warning] };
}

function cutPage(source: string): Pick<LaidOutPage, "leftOut"> & { readonly html: string } {
  const rest = source.length - most.characters;
  if (rest <= 0) return { html: source, leftOut: {} };
  return { html: source.slice(0, most.characters), leftOut: { [endOfPage]: rest } };
}

/** Names the part of a page that is left out because the page is too long. */
export const endOfPage = `source after the first ${most.characters} characters`;
