import { arrivalNumber } from "./arrival-number.ts";
import type { RequestHandlers, RequestScope } from "./request-scope.ts";

/** The requests that are answered. What `initialize` advertises follows from this table. */
export const REQUEST_HANDLERS = {
  initialize: (params, { connection }: RequestScope) => connection.initialize(params),
  authenticate: (params, { connection }) => connection.authenticate(params),
  "session/new": (params, { sessions }) => sessions().create(params),
  "session/load": (params, { sessions }) => sessions().load(params),
  "session/resume": (params, { sessions }) => sessions().resume(params),
  "session/list": (params, { sessions }) => sessions().list(params),
  "session/prompt": (params, { sessions, signal }) =>
    sessions().session(params.sessionId).prompt(params, signal, arrivalNumber(params)),
  "session/set_mode": async (params, { sessions }) => {
    await sessions().session(params.sessionId).setMode(params);
    return {};
  },
  "session/set_config_option": (params, { sessions }) =>
    sessions().session(params.sessionId).setOption(params),
  "session/close": async ({ sessionId }, { sessions }) => {
    await sessions().closeSession(sessionId);
    return {};
  },
  "session/delete": async ({ sessionId }, { sessions }) => {
    await sessions().delete(sessionId);
    return {};
  },
} as const satisfies RequestHandlers;
