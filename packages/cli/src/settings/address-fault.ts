/** Why a text cannot be the address of a provider; undefined when it can. The text is not repeated. */
export function addressFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is no URL such as "http://127.0.0.1:8080/v1"';
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must begin with http:// or https://";
  if (username !== "" || password !== "") {
    return "holds a user name or password; keys are kept in credentials.json (`acumen setup`)";
  }
  if (search !== "" || hash !== "") return "must end before any ? or #";
  return undefined;
}
