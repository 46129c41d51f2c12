/** Beyond these a list of globs is a mistake or an attack. */
const MAX_ALTERNATIVES = 64;

type Step =
  /** Any characters, slashes too. */
  | "any"
  /** Any characters of one name. */
  | "name"
  /** One character of a name. */
  | "one"
  | { readonly char: string };

/**
 * Whether a path (relative, with `/`) is covered by one of the globs: `**`, `*`, `?` and `{a,b}`; one without a slash counts at any depth,
 * one that ends with a slash for everything below. Takes time in proportion to glob and path, whatever they are.
 */
export function pathMatcher(globs: readonly string[]): (path: string) => boolean {
  const compiled = globs.flatMap((glob) => alternatives(anchored(glob)).map(stepsOf));
  return (path) => compiled.some((steps) => matches(steps, path));
}

function anchored(glob: string): string {
  const plain = glob.replace(/^\.?\//, "");
  const below = plain.endsWith("/") ? `${plain}**` : plain;
  return glob.includes("/") ? below : `**/${below}`;
}

/** `{a,b}` as several globs; braces within braces are taken by the letter. */
function alternatives(glob: string): readonly string[] {
  let all = [""];
  let rest = glob;
  for (;;) {
    const found = /\{([^{}]*,[^{}]*)\}/.exec(rest);
    if (found === null) return all.map((head) => `${head}${rest}`);
    const [braces, inner = ""] = found;
    const options = inner.split(",");
    if (all.length * options.length > MAX_ALTERNATIVES) return all.map((head) => `${head}${rest}`);
    const before = rest.slice(0, found.index);
    all = all.flatMap((head) => options.map((option) => `${head}${before}${option}`));
    rest = rest.slice(found.index + braces.length);
  }
}

function stepsOf(glob: string): readonly Step[] {
  const steps: Step[] = [];
  for (const token of glob.match(/\*\*\/?|\*|\?|[^*?]/gsu) ?? []) {
    if (token.startsWith("**")) steps.push("any");
    else if (token === "*") steps.push("name");
    else if (token === "?") steps.push("one");
    else steps.push({ char: token });
  }
  return steps;
}

/** All places that could have been reached, character by character. */
function matches(steps: readonly Step[], path: string): boolean {
  let places = closure(new Set([0]), steps, true);
  let atStart = true;
  for (const char of path) {
    const next = new Set<number>();
    for (const place of places) {
      const step = steps[place];
      if (step === undefined) continue;
      if (step === "any" || (step === "name" && char !== "/")) next.add(place);
      else if (step === "one" && char !== "/") next.add(place + 1);
      else if (typeof step === "object" && step.char === char) next.add(place + 1);
    }
    if (next.size === 0) return false;
    atStart = char === "/";
    places = closure(next, steps, atStart);
  }
  return closure(places, steps, true).has(steps.length);
}

/** With what is reached without a character. `**` ends only where a name begins or the path ends. */
function closure(
  places: ReadonlySet<number>,
  steps: readonly Step[],
  atName: boolean,
): ReadonlySet<number> {
  const all = new Set(places);
  for (const place of all) {
    const step = steps[place];
    if (step === "name" || (step === "any" && atName)) all.add(place + 1);
  }
  return all;
}
