/** What a host chooses when the model shall think as it does by itself. */
export const DEFAULT_LEVEL = "default";
