import type { Clock } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import type { FacadeStore } from "../../src/store/facade-store.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { needsSqlite } from "./sqlite.ts";

export interface OpenedStore extends AsyncDisposable {
  readonly store: FacadeStore;
}

export interface StoreKind {
  readonly name: string;
  open(clock?: Clock): Promise<OpenedStore>;
}

/** Every implementation: what holds for one must hold for all. Without better-sqlite3 what needs it is skipped, and says so. */
export const STORES: readonly StoreKind[] = [
  {
    name: "memory",
    open: (clock) => {
      const store = new MemoryFacadeStore(clock === undefined ? {} : { clock });
      return Promise.resolve({ store, [Symbol.asyncDispose]: () => store.close() });
    },
  },
  {
    name: "sqlite",
    open: async (clock) => {
      needsSqlite();
      const folder = await tempFolder();
      const store = await openSqliteStore(folder.join("acumen.db"), {
        ...(clock !== undefined && { clock }),
      });
      const dispose = async (): Promise<void> => {
        await store.close();
        await folder.remove();
      };
      return { store, [Symbol.asyncDispose]: dispose };
    },
  },
];
