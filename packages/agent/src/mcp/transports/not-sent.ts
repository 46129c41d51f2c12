/** For a message that was not even begun: whoever waits for an answer knows then that nothing was done. */
export function notSentError(message: string): Error {
  return Object.assign(new Error(message), { code: "NOT_SENT" });
}
