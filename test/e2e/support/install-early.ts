import { ACPX, installPeers, PEERS } from "./peers.ts";

/**
 * Before the whole slow run: other people's clients and servers are fetched while the first tests run. Tests that need
 * them wait for them, and say why when they cannot be had.
 */
export default function installEarly(): (() => Promise<void>) | undefined {
  if (process.env["ACUMEN_BUILD_IS_FRESH"] !== "1") return undefined;
  const installed = Promise.allSettled([installPeers(PEERS), installPeers(ACPX, "install")]);
  return async () => void (await installed);
}
