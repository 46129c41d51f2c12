import { AcumenError } from "@acumen/core";
import type { AcpEvent, AcpRequest, AcpResponse, JsonObject } from "@acumen/facade";

/** How a command reaches plans: through a server, or in this process. Everything goes through dispatch. */
export interface PlanClient extends AsyncDisposable {
  dispatch(request: AcpRequest): Promise<AcpResponse>;
  /** A snapshot first, then what happens, until the signal aborts or the plan has ended. */
  events(planId: string, signal: AbortSignal): AsyncIterable<AcpEvent>;
}

/** @throws AcumenError with the code of the answer behind `FACADE_` */
export async function ask(
  client: PlanClient,
  operation: string,
  params: JsonObject,
): Promise<JsonObject> {
  const { error, data } = await client.dispatch({ operation, params });
  if (error === null) return data;
  const { code, message, details, retryable = false } = error;
  throw new AcumenError({
    code: `FACADE_${code}`,
    message: inCommands(message),
    details,
    retryable,
  });
}

/** Operations by the name of the command that does them, as whoever reads this types it. */
function inCommands(message: string): string {
  return message
    .replace(" or retry: true", "")
    .replaceAll(
      /\bplan\.(create|status|execute|diff|apply|cancel|retry|revert|list)\b/g,
      "`acumen plan $1`",
    );
}
