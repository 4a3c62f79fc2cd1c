// The thread in which a document is read. Its process, read-process.ts, watches it.
import { parentPort } from "node:worker_threads";
import { htmlToMarkdown, htmlToText } from "../text/html.ts";
import type { ReadAnswer, ReadJob } from "./job.ts";

const port = parentPort!;

port.on("message", (job: ReadJob) => void read(job).then((answer) => port.postMessage(answer, [])));

async function read({ kind, source, bytes, url, layout }: ReadJob): Promise<ReadAnswer> {
  try {
    if (kind === "pdf") return { status: "read", text: await pdfToText(bytes), warnings: [] };
    const { text, warnings } = layout ? htmlToMarkdown(source, url) : htmlToText(source);
    return { status: "read", text, warnings };
  } catch (thrown) {
    return { status: "unreadable", text: thrown instanceof Error ? thrown.message : "", warnings: [] };
  }
}

/** The text of a PDF, a heading before each page. Rejects when the file is broken or protected. */
async function pdfToText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  return text.map((page, at) => `## Page ${at + 1}\n\n${page.trim()}`).join("\n\n");
}
