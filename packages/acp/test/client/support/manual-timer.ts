import type { Timer } from "../../../src/client/client-requests.ts";

/** Deadlines that pass when a test says so. */
export class ManualTimer {
  readonly #pending = new Set<{ readonly milliseconds: number; readonly due: () => void }>();

  readonly after: Timer = (milliseconds, due) => {
    const entry = { milliseconds, due };
    this.#pending.add(entry);
    return () => void this.#pending.delete(entry);
  };

  /** What is waited for, in milliseconds. */
  get pending(): readonly number[] {
    return [...this.#pending].map(({ milliseconds }) => milliseconds);
  }

  /** Lets everything of this length be due. False: there was nothing. */
  pass(milliseconds: number): boolean {
    const due = [...this.#pending].filter((entry) => entry.milliseconds === milliseconds);
    for (const entry of due) {
      this.#pending.delete(entry);
      entry.due();
    }
    return due.length > 0;
  }
}
