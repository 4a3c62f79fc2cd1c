import { PassThrough } from "node:stream";
import type { Shell } from "./shell.ts";

type Input = NonNullable<Shell["terminal"]>["input"];

const arrows: ReadonlyMap<string, number> = new Map([
  ["\u001b[A", -1],
  ["\u001b[B", 1],
  ["k", -1],
  ["j", 1],
]);

/** One chunk may have several keys. */
// oxlint-disable-next-line no-control-regex
const movement = /\u001b\[[AB]|^[jk]$/g;

const down = "\u001b[B";

/**
 * The input of a list in which letters choose: a letter becomes the arrows to its option, and Enter. `letters` has one for
 * each option, in their order; the list begins at the first. Call `release` when the list has ended.
 */
export function withChoiceKeys(
  input: Input,
  letters: readonly string[],
): { readonly input: PassThrough; readonly release: () => void } {
  const raw = input as Input & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };
  const mapped = Object.assign(new PassThrough(), {
    isTTY: raw.isTTY,
    setRawMode: (on: boolean) => raw.setRawMode?.(on),
  });
  let at = 0;
  const take = (chunk: Buffer | string) => {
    const key = chunk.toString();
    const chosen = letters.indexOf(key.toLowerCase());
    if (chosen === -1) {
      for (const [step] of key.matchAll(movement)) at += arrows.get(step) ?? 0;
      mapped.write(key);
    } else {
      const steps = (((chosen - at) % letters.length) + letters.length) % letters.length;
      for (let step = 0; step < steps; step++) mapped.write(down);
      mapped.write("\r");
    }
  };
  input.on("data", take);
  // A list before this one paused it.
  input.resume();
  return {
    input: mapped,
    release() {
      input.off("data", take);
      input.pause();
    },
  };
}
