import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";

/** `unsent`: before the server has the message. `unanswered`: when it has answered, and before the host knows. */
export type Cut = "unsent" | "unanswered";

/** Passes a database on, and ends one connection at the n-th message of those who use it. */
export async function startCutter(database: string, kind: Cut, message: number) {
  const target = new URL(database);
  const { hostname, port } = target;
  let seen = 0;
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    const end = () => void (near.destroy(), far.destroy());
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    let isCut = false;
    const pass = (bytes: Buffer) => {
      if (++seen === message) isCut = true;
      if (isCut && kind === "unsent") end();
      else far.write(bytes);
    };
    near.on("data", splitMessages(pass));
    far.on("data", (bytes) => void (isCut ? end() : near.write(bytes)));
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  target.port = String((listener.address() as AddressInfo).port);
  return { url: target.href, seen: () => seen, close: () => void listener.close() };
}

/** Cuts what a client sends into the messages of Postgres: a type and a length; the first has only a length. */
function splitMessages(pass: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) return;
      pass(rest.subarray(0, length));
      rest = rest.subarray(length);
      typeBytes = 1;
    }
  };
}
