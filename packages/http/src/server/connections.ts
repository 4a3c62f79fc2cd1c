import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Keeps room on a server: see {@link limitConnections}. */
export interface Connections {
  /** A request with a valid token runs on its connection: the connection stays until the response is closed. */
  readonly keep: (response: ServerResponse) => void;
}

/**
 * At most this many connections are open. One more takes the place of the one that has longest run no request with a valid
 * token, so that programs that only hold connections lock no one out. Where all run one, the new connection is closed.
 */
export function limitConnections(server: Server, max: number): Connections {
  let open = 0;
  // A set keeps the order in which its members came.
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open += 1;
    idle.add(socket);
    socket.once("close", () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open <= max) return;
    const [oldest = socket] = idle;
    idle.delete(oldest);
    oldest.destroy();
  });
  return {
    keep: (response) => {
      const { socket } = response;
      if (socket === null) return;
      idle.delete(socket);
      response.once("close", () => {
        if (!socket.destroyed) idle.add(socket);
      });
    },
  };
}
