import type { RemoteEvents } from "../events/remote-subscription.ts";
import { AcpHttpTransport } from "./acp-http-transport.ts";

/** Events of a server for `AcpEventQueue.subscribeRemote`. */
export const remoteEvents: RemoteEvents = async (endpoint, { token = "", signal, ...query }) => {
  const transport = new AcpHttpTransport({ token });
  await transport.connect(endpoint, { signal });
  return transport.events({ ...query, signal });
};
