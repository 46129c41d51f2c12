import { RequestError } from "@agentclientprotocol/sdk";

/**
 * Refuses a parameter.
 * @param path where it stands in the parameters, such as `prompt.0.type`
 * @param expected continues "must be"
 */
export function invalidParams(path: string, expected: string): RequestError {
  return new RequestError(-32602, `Invalid params: ${path} must be ${expected}`, {
    path,
    expected,
  });
}
