import { vi, type VitestUtils } from "vitest";

/** As `expect.poll` in the configuration, which has no such setting for `vi.waitFor`: its default is one second. */
const LIMIT_MS = 30_000;

const { waitFor } = vi;

const patient: VitestUtils["waitFor"] = (callback, options = {}) =>
  waitFor(callback, {
    timeout: LIMIT_MS,
    ...(typeof options === "number" ? { timeout: options } : options),
  });

// Files that share modules share it too.
if (waitFor.name !== patient.name) vi.waitFor = patient;
