import { FetchProblem } from "../fetch/problem.ts";

/** The text of a PDF, a heading before each page. Throws `UNSUPPORTED_CONTENT` when it cannot be read. */
export async function pdfToText(bytes: Buffer): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes));
    const { text } = await extractText(document, { mergePages: false });
    return text.map((page, at) => `## Page ${at + 1}\n\n${page.trim()}`).join("\n\n");
  } catch (thrown) {
    throw new FetchProblem(
      "UNSUPPORTED_CONTENT",
      "The PDF cannot be read: it is broken or protected",
      {},
      { cause: thrown },
    );
  }
}
