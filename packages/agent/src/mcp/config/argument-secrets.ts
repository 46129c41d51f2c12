/** `Bearer abc`: what follows the scheme is a secret without it, too. */
const SCHEME = /^[A-Za-z][A-Za-z0-9_-]*\s+(\S.*)$/su;
const SECRET_NAME = /key|token|secret|auth|passw|sig/iu;
/** Words in names of arguments whose values are secrets. */
const SECRET_WORDS = new Set(
  (
    "key apikey accesskey token authtoken accesstoken secret clientsecret password passwd passphrase " +
    "pass pwd pat auth authorization bearer credential credentials cookie signature"
  ).split(" "),
);
/** Last words of names that say that it is only about one. */
const OTHER_WORDS = new Set(
  (
    "file path dir folder url uri endpoint host id name type mode method env var provider server " +
    "scheme prefix format length size ttl limit count"
  ).split(" "),
);
/** `--token=abc`, `-e TOKEN=abc`, `X-Api-Key: abc`. */
const NAMED_VALUE = /^(-{0,2}[A-Za-z][\w.-]*)\s*[=:]\s*(\S.*)$/su;
const NAME = /^-{1,2}([A-Za-z][\w.-]*)$/u;

/** Values of arguments whose names say that they are secrets, also in an argument of their own, and parameters of addresses. */
export function argumentSecrets(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const before = NAME.exec(args[index - 1] ?? "")?.[1] ?? "";
    const isValue = isSecretName(before) && !/^--?[A-Za-z]/u.test(arg);
    return [...(isValue ? withoutScheme(arg) : []), ...inAddress(arg), ...inArgument(arg)];
  });
}

/** Also of a header behind the name of an option. */
function inArgument(arg: string): readonly string[] {
  const [, name = "", value = ""] = NAMED_VALUE.exec(arg) ?? [];
  if (isSecretName(name)) return withoutScheme(value);
  return [...inAddress(value), ...(name.startsWith("-") ? inArgument(value) : [])];
}

function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, "-")
    .toLowerCase()
    .split(/[^a-z0-9]+/u);
  return words.some((word) => SECRET_WORDS.has(word)) && !OTHER_WORDS.has(words.at(-1) ?? "");
}

export function withoutScheme(value: string): readonly string[] {
  const rest = SCHEME.exec(value)?.[1];
  return rest === undefined ? [value] : [value, rest];
}

/** Parameters whose name says that they are secrets. */
export function inAddress(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { searchParams, password } = new URL(url);
  return [
    ...[...searchParams].filter(([name]) => SECRET_NAME.test(name)).map(([, v]) => v),
    password,
  ];
}
