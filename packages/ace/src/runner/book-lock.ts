import { Mutex } from "@acumen/core";

const locks = new WeakMap<object, Mutex>();

/** The lock of one book within this process, also when several runners share the book: updates propose and apply under it. */
export function bookLock(skillbook: object): Mutex {
  const known = locks.get(skillbook);
  if (known) return known;
  const lock = new Mutex();
  locks.set(skillbook, lock);
  return lock;
}
