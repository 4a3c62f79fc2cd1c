import { fileURLToPath } from "node:url";

/**
 * Returns where code outside this package, such as a tool, runs now: the innermost frame of the stack as `file:line:column`.
 * Returns undefined if only code of this package runs.
 */
export function findForeignPlace(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const stack = (new Error("here").stack ?? "").split("\n");
  Error.stackTraceLimit = stackTraceLimit;
  // A program that is loaded first may have replaced process.exit, so frames above that call do not count.
  const frames = stack.slice(stack.findLastIndex((frame) => frame.includes(" process.exit (")) + 1);
  // Frames in the folder of this package are ours. Built files have other names, so the folder decides.
  const own = new URL(".", import.meta.resolve("#package.json"));
  const ownFolders = [own.href, fileURLToPath(own)];
  const places = frames.map((frame) =>
    /[\s(]((?:file:\/\/)?\/[^()\s?]+)(?:\?[^:]*)?:(\d+):(\d+)\)?$/.exec(frame),
  );
  // Frames of ES modules have URLs, in which a space is %20.
  const found = places.find(
    (place) => place !== null && !ownFolders.some((one) => place[1]!.startsWith(one)),
  );
  if (found === null || found === undefined) return undefined;
  const [, file = "", line, column] = found;
  return `${file.startsWith("file://") ? fileURLToPath(file) : file}:${line}:${column}`;
}
