/** The variables of this process: where keys and addresses of models are looked up unless a caller gives others. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
