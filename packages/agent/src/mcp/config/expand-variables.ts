type Environment = Readonly<Record<string, string | undefined>>;

export type Expanded =
  | {
      readonly ok: true;
      readonly text: string;
      /** What was put in for variables; defaults are not among it. */
      readonly values: readonly string[];
    }
  | {
      readonly ok: false;
      /** Names the variable, never a value. */
      readonly fault: string;
      /** The text is in order; a variable of it is not set here. */
      readonly unset: boolean;
    };

/** `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `{env:NAME}`; whatever else stands in `${…}` is in the last group. */
const REFERENCE =
  /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}|\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\$\{([^}]*)\}?/gu;

/** What other hosts put in by themselves. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["workspaceFolder", "A server without `cwd` starts in the workspace, so write `.` instead."],
  ["workspaceFolderBasename", "Write the name of the folder instead."],
  ["workspaceRoot", "A server without `cwd` starts in the workspace, so write `.` instead."],
  ["cwd", "A server without `cwd` starts in the workspace, so write `.` instead."],
  ["userHome", "Write `${HOME}` instead."],
  ["pathSeparator", "Write `/` instead."],
  ["extensionPath", "Write the path instead."],
]);

/**
 * Puts in the values of variables, once: what was put in is not looked at again. The default counts for a variable that is not
 * set or empty.
 */
export function expandVariables(text: string, environment: Environment): Expanded {
  const values: string[] = [];
  let failure: Extract<Expanded, { ok: false }> | undefined;
  const replaced = text.replaceAll(
    REFERENCE,
    (whole, plain?: string, fallback?: string, bare?: string) => {
      const name = plain ?? bare;
      if (name === undefined) {
        failure ??= { ok: false, fault: unknownForm(whole), unset: false };
        return "";
      }
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (fallback !== undefined && (value === undefined || value === "")) return fallback;
      if (value === undefined) failure ??= unsetVariable(name);
      else values.push(value);
      return value ?? "";
    },
  );
  return failure ?? { ok: true, text: replaced, values };
}

function unsetVariable(name: string): Extract<Expanded, { ok: false }> {
  const foreign = FOREIGN.get(name);
  if (foreign !== undefined) {
    return { ok: false, fault: `\${${name}} is not known here. ${foreign}`, unset: false };
  }
  const remedy = `Set it where acumen is started, or write \`\${${name}:-default}\`.`;
  return { ok: false, fault: `the variable ${name} is not set. ${remedy}`, unset: true };
}

/** Shows names only: what stands there may be part of a password. */
function unknownForm(whole: string): string {
  const [shown, kind] = /^\$\{([a-z]+):[\w.-]{1,40}\}$/u.exec(whole) ?? [];
  if (kind === "input") {
    return `${shown} would be asked for in another program. Put the value into a variable and write \`\${NAME}\`.`;
  }
  const what = shown ?? "`${…}`";
  return `${what} cannot be replaced. Variables are written \`\${NAME}\` or \`\${NAME:-default}\`.`;
}
