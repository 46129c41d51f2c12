import { isIP } from "node:net";
import { AuthorizationError } from "../errors/domain-error.ts";

export interface OriginGuardOptions {
  /** Host names beside the loopback ones, in lower case, without port. */
  readonly hosts: readonly string[];
  /** Such as `https://ui.example`. */
  readonly origins: readonly string[];
  /** Requests may name any address: no name of a page points there. For servers that other machines reach. */
  readonly acceptsAddresses?: boolean;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** An address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * A page in a browser can make a name point here (DNS rebinding); the names that it sends give it away.
 * @throws AuthorizationError for a Host or Origin that is not known here
 */
export function checkOrigin(
  headers: Headers,
  { hosts, origins, acceptsAddresses = false }: OriginGuardOptions,
): void {
  const host = headers.get("host") ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  const isAddress = acceptsAddresses && isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  if (!LOOPBACK.has(name) && !hosts.includes(name) && !isAddress) {
    throw new AuthorizationError(
      `The host name ${JSON.stringify(host.slice(0, 200))} is not served here.`,
    );
  }
  const origin = headers.get("origin");
  if (origin !== null && !origins.includes(origin)) {
    throw new AuthorizationError(
      `Pages of ${JSON.stringify(origin.slice(0, 200))} may not use this server; start it with --allow-origin.`,
    );
  }
}
