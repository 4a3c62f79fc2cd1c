import { resolve } from "node:path";
import type { Finding } from "../script/finding.ts";
import { commandName } from "../script/command-patterns.ts";
import type { ShellWord } from "../script/words.ts";

/** Commands that the profiles `strict` and `standard` forbid by name, because they change the user or whole disks. */
const blockedNames = /^(?:sudo|su|doas|pkexec|passwd|mkfs(?:\..+)?|mke2fs)$/i;

/** Finds what the profiles `strict` and `standard` forbid, even if other rules allow it. */
export function judgeBlocked(command: readonly ShellWord[], home: string | null): Finding | null {
  const name = commandName(command[0]!).toLowerCase();
  if (blockedNames.test(name))
    return blocked(`"${name}" is forbidden`, "do it without becoming another user or touching disks");
  const targets = command.slice(1).map((word) => wholeOf(word, home));
  if (name === "rm" && isRecursive(command)) {
    if (targets.includes("root")) return catastrophe(`"rm" of the whole file system`);
    if (targets.includes("home")) return blocked(`"rm" of the home folder`, "name the files to remove");
  }
  if (name === "chmod" && targets.includes("root"))
    return blocked(`"chmod" of the root folder`, "name the files to change");
  if (name === "chown" && isRecursive(command) && targets.includes("root"))
    return blocked(`"chown" of the whole file system`, "name the files to change");
  return name === "dd" ? judgeDd(command) : null;
}

function judgeDd(command: readonly ShellWord[]): Finding | null {
  const texts = command.map(({ value, prefix }) => value ?? prefix);
  if (texts.some((text) => /^if=\/dev\/(zero|u?random|full)$/.test(text)))
    return blocked(`"dd" from an endless device`, "use truncate or head -c to make a file of a size");
  if (texts.some((text) => text.startsWith("of=") && isDevice(text.slice(3))))
    return blocked(`"dd" to a device`, "write to a file");
  return null;
}

/** Whether a path names a device. `/dev/null`, terminals, standard streams, descriptors and shared memory do not count. */
export function isDevice(path: string): boolean {
  const at = resolve("/", path);
  if (!path.startsWith("/") || !at.startsWith("/dev/")) return false;
  return !/^\/dev\/(null|stdin|stdout|stderr|tty|fd\/\d+|shm\/.+)$/.test(at);
}

function isRecursive(command: readonly ShellWord[]): boolean {
  return command.some(({ value, prefix }) => {
    const option = value ?? prefix;
    if (option.startsWith("--")) return option.length > 3 && "--recursive".startsWith(option);
    return /^-[A-Za-z]*[rR]/.test(option);
  });
}

/** Returns whether a word names the whole root folder or the whole home folder; null otherwise. */
function wholeOf({ value, text }: ShellWord, home: string | null): "root" | "home" | null {
  const bare = (value ?? text.replaceAll('"', "")).replace(/(?<=[/~}A-Z])\/*(?:\.?\*|\{[.*,]+\})?\/*$/, "/");
  if (/^(~|\$HOME|\$\{HOME\})\/?$/.test(value === null ? bare : "")) return "home";
  if (!bare.startsWith("/")) return null;
  const path = resolve("/", bare);
  if (path === "/") return "root";
  return home !== null && home !== "/" && path === home ? "home" : null;
}

function blocked(reason: string, hint: string): Finding {
  return { kind: "blocked", reason, hint };
}

function catastrophe(reason: string): Finding {
  return { kind: "catastrophe", reason, hint: "name the files to remove" };
}
