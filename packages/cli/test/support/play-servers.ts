import { expect } from "vitest";
import { endOneAfterTheOther, equalServers } from "./equal-servers.ts";
import { playOperations } from "./operations.ts";

/** What is reported of each question, in any order of the marks. */
const reported = ["question.asked", "question.decided", "question.ended"];

/** What is wrong after operations at equal servers: nothing, where they are as good as one. */
interface Wrong {
  /** Operations that gave something else than one server gives. */
  readonly differ: readonly object[];
  /** Marks of approved calls that did not run, and of calls that ran twice, or without a yes. */
  readonly marks: readonly string[];
  /** What servers said that ended by themselves. */
  readonly crashed: readonly string[];
}

/**
 * Lets clients do so many operations at equal servers, of which one after the other ends. Resolves to what is wrong, when each
 * question of an approved call was reported.
 */
export async function playServers(state: string, size: number, count: number): Promise<Wrong> {
  const servers = await equalServers(state, size);
  const { failed, stop } = endOneAfterTheOther(servers, size);
  const { differ, paid, unknown } = await Promise.race([
    playOperations(servers, count),
    failed,
    servers.crash,
  ]);
  const ended = await stop();
  const facts = `${count} operations at ${size} servers, of which ${ended} ended`;
  process.stdout.write(`${facts}: ${differ.length} differ, ${unknown.length} were killed in the middle\n`);
  const ran = await servers.paid();
  const marks = [
    ...paid.filter((mark) => !ran.includes(mark)),
    ...ran.filter((mark, at) => ran.indexOf(mark) !== at || ![...paid, ...unknown].includes(mark)),
  ];
  if (differ.length > 0) return { differ, marks, crashed: servers.crashed };
  const missing = () =>
    paid.flatMap((mark) =>
      reported.filter((type) => !servers.reports.some((one) => one.mark === mark && one.type === type)),
    );
  await expect.poll(missing).toEqual([]);
  return { differ, marks, crashed: servers.crashed };
}
