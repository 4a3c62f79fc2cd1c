// The thread in which a document is read. It is watched by its process, read-process.ts.
import { parentPort } from "node:worker_threads";
import type { LaidOutPage } from "../page/page.ts";
import { readBareText, readPage } from "../page/read-page.ts";
import type { ReadAnswer, ReadJob } from "./job.ts";

const port = parentPort!;

port.on("message", (job: ReadJob) => void read(job).then((answer) => port.postMessage(answer, [])));

async function read(job: ReadJob): Promise<ReadAnswer> {
  try {
    return { status: "read", ...(await readDocument(job)) };
  } catch (thrown) {
    return { status: "unreadable", ...plain(thrown instanceof Error ? thrown.message : "") };
  }
}

async function readDocument({ kind, source, bytes, url, layout, whole }: ReadJob): Promise<LaidOutPage> {
  if (kind === "pdf") return plain(await pdfToText(bytes));
  return layout ? readPage(source, { url, whole, isXml: kind === "xhtml" }) : readBareText(source);
}

/** Returns a text as a page from which nothing was left out. */
function plain(text: string): LaidOutPage {
  return { text, leftOut: {}, lack: null, destination: null, warnings: [] };
}

/** Returns the text of a PDF, with a heading before each page. Rejects if the file is broken or protected. */
async function pdfToText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  return text.map((page, at) => `## Page ${at + 1}\n\n${page.trim()}`).join("\n\n");
}
