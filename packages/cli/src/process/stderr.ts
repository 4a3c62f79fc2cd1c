import type { Sink } from "../screen/screen.ts";
import { isTerminal } from "./is-terminal.ts";

interface ErrorSink extends Sink {
  readonly isTTY: boolean;
  /** Waits until what was written has arrived. */
  flush(): Promise<void>;
}

const stderrFd = 2;

/** Standard error, whose stream is made when something is written, here or by a tool: Node needs 4 ms for it. */
export function takeStderr(): ErrorSink {
  const own = Object.getOwnPropertyDescriptor(process, "stderr")!;
  let stream: NodeJS.WriteStream | undefined;
  const open = (): NodeJS.WriteStream => {
    if (stream !== undefined) return stream;
    stream = own.get!() as NodeJS.WriteStream;
    // The command keeps its exit code when the reader of stderr has gone.
    return stream.on("error", () => {});
  };
  Object.defineProperty(process, "stderr", { configurable: true, enumerable: true, get: open });
  const isTTY = isTerminal(stderrFd);
  return {
    isTTY,
    get columns() {
      return isTTY ? open().columns : undefined;
    },
    write: (text) => void open().write(text),
    flush: async () => {
      if (stream !== undefined) await new Promise<void>((resolve) => void stream!.write("", () => resolve()));
    },
  };
}
