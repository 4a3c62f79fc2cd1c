import { expect } from "vitest";
import { endOneAfterTheOther, equalServers } from "./equal-servers.ts";
import { playOperations } from "./operations.ts";

/** What is reported of each question, in any order of the marks. */
const reported = ["question.asked", "question.decided", "question.ended"];

/**
 * Lets clients do so many operations at equal servers, of which one after the other ends, and compares: none differs from what
 * one server gives, each call that a person approved ran once, and each of its questions was reported.
 */
export async function playServers(state: string, size: number, count: number): Promise<void> {
  const servers = await equalServers(state, size);
  const stop = endOneAfterTheOther(servers, size);
  const { differ, paid, unknown } = await playOperations(servers, count);
  const ended = await stop();
  const facts = `${count} operations at ${size} servers, of which ${ended} ended`;
  process.stdout.write(`${facts}: ${differ.length} differ, ${unknown.length} were killed in the middle\n`);
  expect(differ).toEqual([]);
  expect(unknown.length).toBeLessThan(count / 10);
  const marks = await servers.paid();
  expect(new Set(marks)).toHaveProperty("size", marks.length);
  expect(marks.filter((mark) => !unknown.includes(mark)).toSorted()).toEqual(paid.toSorted());
  const missing = () =>
    paid.flatMap((mark) =>
      reported.filter((type) => !servers.reports.some((one) => one.mark === mark && one.type === type)),
    );
  await expect.poll(missing).toEqual([]);
}
