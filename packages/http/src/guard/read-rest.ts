import type { IncomingMessage } from "node:http";
import type { Clock } from "@toolmount/core";

/** Maximum number of bytes of a refused request that are still read, and maximum number of milliseconds for this. */
const most = { bytes: 67_108_864, ms: 2_000 };

/**
 * Reads a refused request to its end, or until `most` is reached, and drops the data. If the connection were closed earlier, a
 * client that still sends would see a reset connection instead of the answer.
 */
export function readRest(request: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve();
    const timer = clock.setTimer(() => resolve(), most.ms);
    const end = () => {
      timer.cancel();
      resolve();
    };
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most.bytes) end();
    });
    request.once("end", end).once("close", end).resume();
  });
}
