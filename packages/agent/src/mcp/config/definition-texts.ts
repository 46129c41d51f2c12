import { isAbsolute, join } from "node:path";
import { shownKey } from "./definition-shape.ts";
import { expandVariables } from "./expand-variables.ts";

export interface DefinitionTextsOptions {
  /** Variables and `HOME`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables are replaced. */
  readonly expand: boolean;
}

/** Anything but what separates name and value, or ends them. */
const VARIABLE_NAME = /^[^=\0]+$/u;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
/** What a header can carry: a tab, and Latin-1 without controls. */
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;
/** As shells and some other hosts have it. Nothing would be put in for it, and nobody would be told. */
const BARE_VARIABLE = /^\$([A-Z_][A-Z0-9_]*)$/u;

/** Takes the texts of a definition, puts variables in and remembers what is wrong first. */
export class DefinitionTexts {
  /** What was put in for variables. */
  readonly values: string[] = [];
  /** Begins with the place. */
  fault: { readonly text: string; readonly unset: boolean } | undefined;
  readonly #options: DefinitionTextsOptions;

  constructor(options: DefinitionTextsOptions) {
    this.#options = options;
  }

  plain(place: string, written: string): string {
    return this.#read(place, written, (value) => {
      return value.includes("\0") ? "a NUL character cannot be handed over" : undefined;
    });
  }

  program(written: string): string {
    return this.#read("command", written, (value) => {
      if (value.trim() === "") return "expected the name of a program, found nothing";
      return value.includes("\0") ? "a NUL character cannot be handed over" : undefined;
    });
  }

  folder(written: string): string {
    const home = this.#options.environment["HOME"];
    const value = this.#read("cwd", written, (path) => {
      if (path.includes("\0")) return "a NUL character cannot be handed over";
      if (isAbsolute(path)) return undefined;
      if (path !== "~" && !path.startsWith("~/")) {
        return "expected an absolute path, or one that begins with `~/` or a variable";
      }
      const known = home !== undefined && isAbsolute(home);
      return known ? undefined : "`~` stands for the variable HOME, which holds no absolute path";
    });
    return value.startsWith("~") && home !== undefined ? join(home, value.slice(1)) : value;
  }

  variables(written: Readonly<Record<string, string>>): Record<string, string> {
    return this.#each("env", written, (place, name, value) => {
      if (!VARIABLE_NAME.test(name)) this.#refuse(place, "this is no name of a variable");
      return this.plain(place, value);
    });
  }

  headers(written: Readonly<Record<string, string>>): Record<string, string> {
    return this.#each("headers", written, (place, name, text) => {
      if (!HEADER_NAME.test(name)) this.#refuse(place, "this is no name of a header");
      return this.#read(place, text, (value) => {
        return HEADER_VALUE.test(value) ? undefined : "holds a character that no header can";
      });
    });
  }

  address(written: string): string {
    const value = this.#read("url", written, (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined || !/^https?:$/u.test(url.protocol)) {
        return "expected an address that begins with http:// or https://";
      }
      if (url.username === "" && url.password === "") return undefined;
      return "must not hold a user name or a password. Use a header instead, such as `Authorization`";
    });
    return value.trim();
  }

  #each(
    field: string,
    written: Readonly<Record<string, string>>,
    read: (place: string, name: string, value: string) => string,
  ): Record<string, string> {
    return Object.fromEntries(
      Object.entries(written).map(([name, value]) => {
        const place = `${field}.${shownKey(name)}`;
        const variable = this.#options.expand ? BARE_VARIABLE.exec(value)?.[1] : undefined;
        if (variable !== undefined) {
          this.#refuse(place, `a variable is written \`\${${variable}}\` here`);
        }
        return [name, read(place, name, value)];
      }),
    );
  }

  /** @param check says what is wrong with the text, once variables are in */
  #read(place: string, written: string, check: (value: string) => string | undefined): string {
    let value = written;
    if (this.#options.expand) {
      const expanded = expandVariables(written, this.#options.environment);
      if (!expanded.ok) {
        this.#refuse(place, expanded.fault, expanded.unset);
        return written;
      }
      this.values.push(...expanded.values);
      value = expanded.text;
    }
    const reason = check(value);
    if (reason !== undefined) this.#refuse(place, reason);
    return value;
  }

  /** What is wrong in itself goes before a variable that is not set. */
  #refuse(place: string, reason: string, unset = false): void {
    if (this.fault !== undefined && (unset || !this.fault.unset)) return;
    this.fault = { text: `${place}: ${reason}`, unset };
  }
}
