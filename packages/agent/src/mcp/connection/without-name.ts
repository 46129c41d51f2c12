import { server } from "./connection-failures.ts";

/** What is said of a server, for places that name it already. */
export function withoutName(text: string, name: string): string {
  return text.replaceAll(server({ name }), "It");
}
