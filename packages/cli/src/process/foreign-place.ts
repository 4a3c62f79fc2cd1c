import { fileURLToPath } from "node:url";

/** Returns the place of the innermost code outside this package that runs now, as `file:line:column`. */
export function findForeignPlace(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const stack = (new Error("here").stack ?? "").split("\n");
  Error.stackTraceLimit = stackTraceLimit;
  // Code that is loaded before a program may replace process.exit, so only the frames of its callers are searched.
  const frames = stack.slice(stack.findLastIndex((frame) => frame.includes(" process.exit (")) + 1);
  // The folder of this package. In the built package, file names do not show which frames are ours.
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
