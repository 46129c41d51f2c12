import { AcpNotAvailableError } from "./acp-error.ts";

/** Nothing is begun any more; what a request had begun before may go on elsewhere. */
export class FacadeClosedError extends AcpNotAvailableError {
  constructor() {
    super("The facade was closed; make another one.");
  }
}
