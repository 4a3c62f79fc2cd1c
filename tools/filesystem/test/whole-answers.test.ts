import { createReadFile } from "@toolmount/tool-filesystem";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

const gif = Buffer.from("GIF89a\0and more");

test.each([
  [gif.length, "shown beside this answer", true],
  [gif.length - 1, "not shown as text", false],
])("an image where at most %i bytes are shown is %s", async (max_image_bytes, how, isShown) => {
  const { base } = scratch({ "a.gif": gif });
  const { data, content } = await createReadFile({ working_dir: base, max_image_bytes }).execute({
    file_path: "a.gif",
  });

  expect(data).toEqual({
    file_path: "a.gif",
    content: `Binary file (image/gif, ${gif.length} bytes), ${how}`,
    is_binary: true,
    mime_type: "image/gif",
    bytes: gif.length,
  });
  expect(content).toEqual(
    isShown ? [{ type: "image", data: gif.toString("base64"), mimeType: "image/gif" }] : undefined,
  );
});

test.each([
  [{}, "working_dir is not set, and no session.working_dir is there"],
  [{ working_dir: "a" }, "working_dir is relative, and no session.working_dir is there"],
])("without a host, the settings %j are refused: %s", (settings, problem) => {
  expect(() => createReadFile(settings)).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      details: { module: "@toolmount/tool-filesystem", problem },
    }),
  );
});
