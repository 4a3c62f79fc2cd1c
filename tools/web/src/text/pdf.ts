/** The text of a PDF, a heading before each page. Rejects when the file is broken or protected. */
export async function pdfToText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  return text.map((page, at) => `## Page ${at + 1}\n\n${page.trim()}`).join("\n\n");
}
