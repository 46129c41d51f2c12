import { AcpVersionMismatchError } from "../errors/acp-error.ts";
import { ACP_VERSION } from "./acp-request.ts";

/** Decides which version both sides speak; every dispatch and every connection asks it. */
export class AcpVersionNegotiator {
  static readonly SUPPORTED: readonly string[] = [ACP_VERSION];

  /**
   * Major and minor count, a patch part does not.
   * @returns the supported version, such as "1.0"
   * @throws AcpVersionMismatchError with `details.supported`
   */
  negotiate(version: string): string {
    const [, spoken] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version) ?? [];
    if (spoken !== undefined && AcpVersionNegotiator.SUPPORTED.includes(spoken)) return spoken;
    throw new AcpVersionMismatchError(version, AcpVersionNegotiator.SUPPORTED);
  }
}
