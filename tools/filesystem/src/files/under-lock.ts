import type { Omission, ToolContext } from "@toolmount/core";
import { isPathError, type FileIdentity, type Lost } from "@toolmount/paths";
import { callFacts } from "./answer.ts";
import { keepFile } from "./keep.ts";
import { Refusal } from "./refusal.ts";
import { changed, markSeen } from "./seen-files.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Runs `work` with the real path of a file, after all earlier changes of that file are done, whatever paths they used. Changes
 * with the same given path run in order.
 */
export function inTurn<Value>(
  { files, turns }: Workspace,
  path: string,
  work: (real: string) => Promise<Value>,
): Promise<Value> {
  return turns.take(`given:${path}`, async () => {
    const { real } = await files.locate(path, "write");
    return await turns.take(`real:${real}`, () => work(real));
  });
}

/** The new bytes of a file, and the file that they may replace; undefined if they may replace any file. */
interface NewContent {
  readonly given: string;
  readonly real: string;
  readonly bytes: Buffer;
  readonly expected: FileIdentity | undefined;
}

/**
 * Replaces the content of a file, for a call whose turn it is, and emits an event. Refuses with `FILE_TOO_LARGE` or
 * `FILE_CHANGED`. Resolves to what the file lost: its other names, and attributes that its replacement could not get.
 */
export async function replaceContent(
  workspace: Workspace,
  { given, real, bytes, expected }: NewContent,
  context: ToolContext,
): Promise<readonly Omission[]> {
  requireSize(workspace, given, bytes.length);
  const kept = await keepFile(workspace, context, real, bytes);
  const { otherNames, lost } = await workspace.files
    .replace(given, bytes, { expected: expected ?? kept, signal: context.abortSignal })
    .catch(sayChanged(given));
  markSeen(context, real, bytes);
  workspace.announce("artifact:write", { path: real, bytes: bytes.length, ...callFacts(context) });
  return [...namesOf(otherNames), ...lost.map((what) => ({ what: `its ${what}`, ...ways[what] }))];
}

/** Ways to restore what a replaced file has lost. */
const ways: Readonly<Record<Lost, Omit<Omission, "what">>> = {
  owner: {
    amount: "user or group",
    why: "this process may not give files to others, and a file with hard links is not written in place",
    how: "chown, by a user who may",
  },
  "extended attributes": {
    amount: "all, if it had any",
    why: "the program cp of GNU could not copy them",
    how: "setfattr or setfacl",
  },
  "special permissions": {
    amount: "setuid, setgid or sticky",
    why: "new content must not get the rights of another user unseen",
    how: "chmod, after a look at the content",
  },
};

function namesOf(count: number): readonly Omission[] {
  if (count === 0) return [];
  const amount = `${count} ${count === 1 ? "name" : "names"}`;
  const why = "a file is replaced whole, so its hard links keep the old content";
  return [
    { what: "other names of the file", amount, why, how: "write each of them, or make the links again" },
  ];
}

function requireSize({ settings }: Workspace, path: string, bytes: number): void {
  const { max_write_bytes: maxBytes } = settings;
  if (bytes <= maxBytes) return;
  const message = `Content too large: ${path} would have ${bytes} bytes, the limit is ${maxBytes}`;
  throw new Refusal(message, "FILE_TOO_LARGE", { path, bytes, maxBytes });
}

/** Turns a change between the last check and the write into the same error as an earlier change. */
function sayChanged(path: string): (thrown: unknown) => never {
  return (thrown) => {
    throw isPathError(thrown) && thrown.code === "FILE_CHANGED" ? changed(path) : thrown;
  };
}
