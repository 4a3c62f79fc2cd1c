import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContentBlock, ToolOutcome } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { saveContent } from "../../src/render/content.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

async function saved(content: readonly ContentBlock[] | undefined, tool = "read/chart") {
  const folder = join(await mkdtemp(join(tmpdir(), "toolmount-content-")), "out");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outcome = { tool, result: { content } } as unknown as ToolOutcome;
  const save = async () => (await saveContent(outcome, folder)).map((path) => path.slice(folder.length + 1));
  return { folder, save };
}

test.each<[ContentBlock, string, string]>([
  [{ type: "image", mimeType: "image/png", data: base64("png") }, "png", "png"],
  [{ type: "image", mimeType: "image/svg+xml", data: base64("svg") }, "svg", "svg"],
  [{ type: "image", mimeType: "image/jpeg", data: base64("x") }, "jpg", "x"],
  [{ type: "image", mimeType: "image/x-icon", data: base64("x") }, "icon", "x"],
  [{ type: "image", mimeType: "nonsense", data: base64("x") }, "bin", "x"],
  [{ type: "audio", mimeType: "audio/MPEG", data: base64("x") }, "mp3", "x"],
  [{ type: "file", uri: "file:///a/b.md?x#y", text: "text" }, "md", "text"],
  [{ type: "file", uri: "https://a.org/", text: "text" }, "txt", "text"],
  [{ type: "file", uri: "a/../b.veryverylong", mimeType: "text/x-c.c", text: "c" }, "cc", "c"],
  [{ type: "file", uri: "a", mimeType: "application/pdf", data: base64("pdf") }, "pdf", "pdf"],
])("the content %j becomes a file that ends with .%s", async (block, extension, bytes) => {
  const { folder, save } = await saved([{ type: "text", text: "t" }, block]);

  expect(await save()).toEqual([`read_chart-2.${extension}`]);
  expect(await readFile(join(folder, `read_chart-2.${extension}`), "utf8")).toBe(bytes);
});

test("a file that exists is not written again: the name is counted up", async () => {
  const image: ContentBlock = { type: "image", mimeType: "image/png", data: base64("x") };
  const { save } = await saved([image, { ...image, mimeType: "image/gif" }], "a-b.c");

  expect(await save()).toEqual(["a-b.c-1.png", "a-b.c-2.gif"]);
  expect(await save()).toEqual(["a-b.c-1 (2).png", "a-b.c-2 (2).gif"]);
  expect(await save()).toEqual(["a-b.c-1 (3).png", "a-b.c-2 (3).gif"]);
});

test.each<[readonly ContentBlock[] | undefined]>([
  [undefined],
  [[{ type: "text", text: "t" }]],
  [[{ type: "file", uri: "file:///a.md" }]],
])("the content %j needs no file and no folder", async (content) => {
  const { folder, save } = await saved(content);

  expect(await save()).toEqual([]);
  await expect(readdir(folder)).rejects.toMatchObject({ code: "ENOENT" });
});
