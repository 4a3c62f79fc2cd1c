import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";

/** An address and port to connect to, and the name that the server's certificate must have. */
export interface Destination {
  /** The address, which the guard has checked. */
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  /** The name that the server's certificate must have. */
  readonly host: string;
}

/** Opens a connection; with `secure`, after checking the server's certificate. */
export type Connect = (destination: Destination, signal: AbortSignal) => Promise<Socket>;

/** Connects to the address itself, without another name lookup. */
export const connectTo: Connect = ({ address, port, secure, host }, signal) =>
  new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = secure
      ? connectSecure({ host: address, port, ALPNProtocols: ["http/1.1"], ...servername })
      : connectPlain({ host: address, port });
    const give = (error?: Error) => {
      signal.removeEventListener("abort", abort);
      if (error === undefined) return resolve(socket);
      socket.destroy();
      reject(error);
    };
    const abort = () => give(new Error("cancelled"));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) return abort();
    socket.once(secure ? "secureConnect" : "connect", () => give());
    socket.once("error", give);
  });

/** Connects to the first of the checked addresses that works. */
export async function connectToAny(
  connect: Connect,
  addresses: readonly string[],
  to: Omit<Destination, "address">,
  signal: AbortSignal,
): Promise<Socket> {
  let failed: unknown;
  for (const address of addresses) {
    try {
      return await connect({ ...to, address }, signal);
    } catch (thrown) {
      failed = thrown;
      if (signal.aborted) break;
    }
  }
  throw failed;
}
