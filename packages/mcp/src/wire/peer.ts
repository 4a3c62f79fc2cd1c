/** A client or a server of the SDK. */
export interface Peer {
  connect(transport: never, ...rest: never[]): Promise<void>;
}

/** The part of the SDK's transports that is watched. */
export interface Wire {
  send(message: unknown, ...rest: unknown[]): Promise<void>;
  onmessage?: ((message: unknown, ...rest: unknown[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  readonly sessionId?: string | undefined;
}

/** Calls `act` with each transport of a client or a server, before it is connected. */
export function onConnect(peer: Peer, act: (wire: Wire) => void): void {
  const connect = peer.connect.bind(peer) as (wire: Wire, ...rest: unknown[]) => Promise<void>;
  peer.connect = (wire: Wire, ...rest: unknown[]) => {
    act(wire);
    return connect(wire, ...rest);
  };
}
