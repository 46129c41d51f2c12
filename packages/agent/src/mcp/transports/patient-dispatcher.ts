type Dispatcher = NonNullable<RequestInit["dispatcher"]>;

const GLOBAL = Symbol.for("undici.globalDispatcher.1");

/** All that `fetch` asks for. */
const patient: Pick<Dispatcher, "dispatch"> = {
  dispatch(options, handler) {
    // There when this is called: `fetch` has set it.
    const dispatcher = Reflect.get(globalThis, GLOBAL) as Dispatcher;
    return dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

/**
 * For `fetch`, which gives up answers that pause for five minutes: a tool may take longer, and a stream of events may have nothing to say
 * for hours. Whoever asks limits the time. Connections stay those of the global dispatcher.
 */
export const patientDispatcher = patient as Dispatcher;
