import { modelError } from "../errors.ts";
import type { ModelId } from "../model-id.ts";
import type { ProviderRow } from "./provider-row.ts";

export type PackageLoader = (name: string) => Promise<unknown>;

/** The name is a variable on purpose: an optional peer must not be needed to compile or to bundle. */
export const importPackage: PackageLoader = (name) => import(name) as Promise<unknown>;

/**
 * One exported function of an optional peer.
 * @throws MODEL_FAILED of kind `not_installed` that says what to install
 */
export async function loadExport<T>(
  {
    row,
    id,
    load,
    entry,
  }: {
    readonly row: ProviderRow;
    readonly id: ModelId;
    readonly load: PackageLoader;
    /** Subpath of the package, such as `/anthropic`. */
    readonly entry?: string;
  },
  name: string,
): Promise<T> {
  let module: unknown;
  try {
    module = await load(`${row.package}${entry ?? ""}`);
  } catch (error) {
    const missing = isMissing(error, row.package);
    throw modelError(
      missing
        ? `Models of ${row.title} need the package ${row.package}, which is not installed. ${installHint(row)}`
        : `The package ${row.package} is installed but cannot be loaded. ${installHint(row)}`,
      { ...id, kind: "not_installed", ...(!missing && { cause: error }) },
    );
  }
  const exported = (module as Record<string, unknown>)[name];
  if (typeof exported === "function") return exported as T;
  throw modelError(
    `The installed package ${row.package} has no "${name}": another version is needed. ${installHint(row)}`,
    { ...id, kind: "not_installed" },
  );
}

/** A file that is missing inside an installed package is a broken package, not an absent one. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  return missing && error.message.includes(`'${name}'`);
}

function installHint({ package: name, peer = "latest" }: ProviderRow): string {
  return `Run: npm install ${name}@${peer}`;
}
