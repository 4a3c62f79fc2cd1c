import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Waits on this machine for the browser of a person who has signed in. */
export interface Callback {
  /** The address to which the browser returns. */
  readonly url: string;
  /** Resolves to the parameters that the browser brought from the authorization server. */
  readonly returned: Promise<URLSearchParams>;
  /** Takes an address that a person has copied from a browser on another machine. Throws for any other text. */
  take(address: string): void;
  close(): Promise<void>;
}

const path = "/callback";

interface CallbackPort {
  /** The only port that may be used. */
  readonly required: number | undefined;
  /** The port to use if it is free, because the client is registered for it. */
  readonly preferred: number | undefined;
}

/** Listens on loopback for the browser. Requests without the `state` of this sign-in are refused. */
export async function listenForBrowser(
  { required, preferred }: CallbackPort,
  state: () => string | undefined,
): Promise<Callback> {
  const { promise: returned, resolve } = Promise.withResolvers<URLSearchParams>();
  const accept = (params: URLSearchParams): boolean => {
    if (params.get("state") !== state()) return false;
    resolve(params);
    return true;
  };
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? "/", "http://127.0.0.1");
    if (address.pathname !== path) return answer(response, 404, "This address is for the sign-in only.");
    const isOurs = accept(address.searchParams);
    answer(response, isOurs ? 200 : 400, isOurs ? doneText : "This is not the sign-in that was started.");
  });
  await (required === undefined
    ? listen(server, preferred ?? 0).catch(() => listen(server, 0))
    : listen(server, required));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}${path}`,
    returned,
    take(text) {
      const address = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
      if (address === undefined || !accept(address.searchParams))
        throw new Error("this is not the address to which the browser returned after this sign-in");
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const doneText = "You are signed in. You can close this page and return to the terminal.";

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(text);
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}
