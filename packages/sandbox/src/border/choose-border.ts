import { ToolmountError } from "@toolmount/core";
import type { Border, BorderName, Grants, WantedBorder } from "./border.ts";
import { bubblewrapBorder } from "./bubblewrap.ts";
import { permissionBorder } from "./permission.ts";
import { plainBorder } from "./plain.ts";
import { probeBorder, type BorderFinding } from "./probe.ts";
import { srtBorder } from "./srt.ts";

const borders: Readonly<Record<BorderName, Border>> = {
  none: plainBorder,
  permission: permissionBorder,
  bubblewrap: bubblewrapBorder,
  srt: srtBorder,
};

/**
 * Returns the border that a plan asks for, after a process has been started behind it as a trial. Rejects with
 * `SANDBOX_UNAVAILABLE` if that fails; a weaker border is never used instead. `onWeaker` gets the reason why `strictest` is not
 * bubblewrap.
 */
export async function chooseBorder(
  name: WantedBorder,
  grants: Grants,
  onWeaker: (problem: string) => void = () => {},
): Promise<Border> {
  if (name !== "strictest") {
    await requireBorder(borders[name], grants);
    return borders[name];
  }
  const { problem } = await probeBorder(bubblewrapBorder, grants);
  if (problem === null) return bubblewrapBorder;
  await requireBorder(permissionBorder, grants);
  onWeaker(problem);
  return permissionBorder;
}

/** Tries the borders, strictest first, and does not use the results of earlier trials. */
export async function examineBorders(
  grants: Grants,
): Promise<ReadonlyMap<Exclude<BorderName, "none">, BorderFinding>> {
  const examined = [bubblewrapBorder, srtBorder, permissionBorder] as const;
  const findings = await Promise.all(examined.map((border) => probeBorder(border, grants, true)));
  return new Map(examined.map(({ name }, at) => [name as Exclude<BorderName, "none">, findings[at]!]));
}

/** Rejects with `SANDBOX_UNAVAILABLE` when a process cannot be started behind the border. */
async function requireBorder(border: Border, grants: Grants): Promise<void> {
  const { problem } = await probeBorder(border, grants);
  if (problem !== null) throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: border.name, problem });
}
