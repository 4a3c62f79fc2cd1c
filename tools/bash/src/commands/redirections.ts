import type { Redirection } from "unbash";
import { isDevice } from "./destructive-commands.ts";
import { note, noteUnclear, type Inspection } from "../script/inspection.ts";
import { readWord, type ShellWord } from "../script/words.ts";

const streams = /^\/dev\/(null|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** Judges the target of a redirection: it may only write in the allowed folders, and not to devices or sockets. */
export function judgeRedirection(node: Redirection, inspection: Inspection): void {
  if (node.type !== "Redirect") return;
  const { operator, target } = node;
  if (target === undefined) return noteUnclear(inspection, "a redirection without a target");
  const word = readWord(target);
  if (operator.endsWith("&") && /^(\d+-?|-)$/.test(word.value ?? "")) return;
  if (word.value !== "/dev/null") inspection.plain = false;
  if (word.value !== null && /^\/dev\/(tcp|udp)\//.test(word.value))
    return note(
      inspection,
      "redirect",
      `${word.text} opens a network connection`,
      "use a program for the network",
    );
  if (operator === "<" || operator === "<&") return;
  judgeTarget(word, inspection);
}

function judgeTarget(word: ShellWord, inspection: Inspection): void {
  const { value, text } = word;
  if (value !== null && streams.test(value)) return;
  if (value !== null && isDevice(value))
    return note(inspection, "blocked", `writing to the device ${text}`, "write to a file");
  const places = word.pattern ? null : inspection.folders.places(word);
  if (places === null) return noteUnclear(inspection, `where ${text} leads is not known`);
  if (inspection.folders.judge(word) !== "inside")
    return note(
      inspection,
      "redirect",
      `${text} is outside the folders that may be written`,
      "write below the working folder",
    );
  for (const place of places) inspection.redirects.add(place);
}
