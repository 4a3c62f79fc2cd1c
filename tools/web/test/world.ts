import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect as connectPlain, type AddressInfo } from "node:net";
import type { Connect, Destination, Resolve } from "@toolmount/tool-web";
import { onTestFinished } from "vitest";

/** A server on loopback that is gone when the test is. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ port: number; url: (path?: string) => string }> {
  const server = createServer((request, response) => {
    // A client that goes away in the middle is what these tests are about.
    response.on("error", () => {});
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: (path = "/") => `http://127.0.0.1:${port}${path}` };
}

/** Answers of a name server, one entry for each look-up of a name, the last repeated. */
export function resolver(
  names: Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>,
): Resolve & { readonly asked: string[] } {
  const asked: string[] = [];
  const seen = new Map<string, number>();
  const resolve = (name: string) => {
    asked.push(name);
    const answers = Object.hasOwn(names, name) ? names[name]! : undefined;
    if (answers === undefined) return Promise.reject(new Error("NXDOMAIN"));
    if (!Array.isArray(answers[0])) return Promise.resolve(answers as readonly string[]);
    const at = seen.get(name) ?? 0;
    seen.set(name, at + 1);
    const sequence = answers as readonly (readonly string[])[];
    return Promise.resolve(sequence[Math.min(at, sequence.length - 1)]!);
  };
  return Object.assign(resolve, { asked });
}

/** Notes what it is asked for, and connects to a server on loopback instead. */
export function transport(port: number): Connect & { readonly asked: Destination[] } {
  const asked: Destination[] = [];
  const connect: Connect = (destination) => {
    asked.push(destination);
    return new Promise((resolve, reject) => {
      const socket = connectPlain({ host: "127.0.0.1", port });
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
    });
  };
  return Object.assign(connect, { asked });
}

/** Notes what it is asked for, and connects nowhere. */
export function deadTransport(): Connect & { readonly asked: Destination[] } {
  const asked: Destination[] = [];
  const connect: Connect = (destination) => {
    asked.push(destination);
    return Promise.reject(new Error("no network"));
  };
  return Object.assign(connect, { asked });
}
