import { isIP } from "node:net";
import { AuthorizationError, ConfigurationError } from "../errors/domain-error.ts";

export interface OriginGuardOptions {
  /** Host names beside the loopback ones, in lower case, without port. */
  readonly hosts: readonly string[];
  /** Such as `https://ui.example`. */
  readonly origins: readonly string[];
  /** Requests may name any address: no name of a page points there. For servers that other machines reach. */
  readonly acceptsAddresses?: boolean;
}

const HOST_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?$/i;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** An address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Names as requests have them: in lower case, an IPv6 address in brackets.
 * @throws ConfigurationError for what is no host name or address, such as one with a port
 */
export function servedHosts(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    if (isIP(name) === 6) return `[${name.toLowerCase()}]`;
    if (HOST_NAME.test(name)) return name.toLowerCase();
    throw new ConfigurationError(
      `${JSON.stringify(name.slice(0, 200))} is no host name that requests can name; write it without scheme and port, such as acumen.example.org.`,
      { details: { host: name.slice(0, 200) } },
    );
  });
}

/**
 * Origins as browsers send them.
 * @throws ConfigurationError for what no browser sends, such as one with a path, and for `*` and `null`, which would be every page
 */
export function pageOrigins(origins: readonly string[]): readonly string[] {
  return origins.map((origin) => {
    const parsed = URL.canParse(origin) ? new URL(origin).origin : "null";
    if (parsed !== "null" && parsed === origin.toLowerCase().replace(/\/$/, "")) return parsed;
    throw new ConfigurationError(
      `${JSON.stringify(origin.slice(0, 200))} is no origin of pages; write scheme, host and a port that is not the usual one, such as https://ui.example.org.`,
      { details: { origin: origin.slice(0, 200) } },
    );
  });
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
      `The host name ${JSON.stringify(host.slice(0, 200))} is not served here; start the server with --allow-host where a proxy passes it on.`,
    );
  }
  const origin = headers.get("origin");
  if (origin !== null && !origins.includes(origin)) {
    throw new AuthorizationError(
      `Pages of ${JSON.stringify(origin.slice(0, 200))} may not use this server; start it with --allow-origin.`,
    );
  }
}
