import type { OpenedPlan } from "@toolmount/loader";

/** A plan with one section. The position of a value names its path, and only items of the section are known to be written. */
export function writtenPlan(section: string, items: unknown): OpenedPlan {
  const plan = {
    written: { [section]: items },
    folder: "/plans",
    position: (...path: (string | number)[]) => ({ file: path.join("/"), line: path.length, column: 1 }),
  };
  return plan as unknown as OpenedPlan;
}

/** What reading throws, as a person reads it. */
export function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as { details: { problem: string } }).details.problem;
  }
  throw new Error("it was read");
}
