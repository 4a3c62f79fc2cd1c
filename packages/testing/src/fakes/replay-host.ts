import { createHost, type Host, type HostOptions } from "@toolmount/core";
import { createReplay, parseTape } from "@toolmount/tape";

/** A host that answers from a tape. */
export interface ReplayHost {
  readonly host: Host;
  /** Returns how the calls so far differ from the tape, one sentence each. Calls that were not made count as differences. */
  differences(): readonly string[];
  /** Throws an error that lists every difference. Call it at the end of a test. */
  assertSame(): void;
  close(): Promise<void>;
}

/**
 * Makes a host that answers calls from the text of a tape. `mount` mounts the tools as they are now; none of them runs.
 *
 * Arguments are validated and policies are asked as in a real host, so a changed schema or rule shows as a difference. Throws
 * a `TapeError` if the text is not a tape.
 */
export async function replayHost(
  tape: string,
  mount: (host: Host) => void | Promise<void>,
  options: HostOptions = {},
): Promise<ReplayHost> {
  const replay = createReplay(parseTape(tape));
  const host = createHost({ ...options, runner: replay.runner });
  await mount(host);
  replay.watch(host);
  return {
    host,
    differences: () => replay.finish(),
    assertSame() {
      const differences = replay.finish();
      if (differences.length === 0) return;
      throw new Error(
        `the calls differ from the tape:\n${differences.map((line) => `- ${line}`).join("\n")}`,
      );
    },
    close: async () => void (await host.close()),
  };
}
