// Adding a name here makes it public.
export { abortError, throwIfAborted, untilAborted } from "./abort.ts";
export { type Clock, systemClock } from "./clock.ts";
export { closest } from "./closest.ts";
export {
  AcumenError,
  type AcumenErrorInit,
  CORE_ERRORS,
  type CoreErrorCode,
  coreError,
  errorFactory,
  type ErrorRow,
} from "./errors.ts";
export { type FileLockOptions, withFileLock } from "./file-lock.ts";
export {
  ensureFolder,
  errnoOf,
  type HandleCheck,
  type ReadOptions,
  readTextFile,
  type WriteOptions,
  writeFileAtomic,
} from "./files.ts";
export { createId } from "./ids.ts";
export { isJsonObject, type JsonLimits, parseJson } from "./json.ts";
export {
  createStderrLogger,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type Logger,
  type LogLevel,
  silentLogger,
} from "./logger.ts";
export { type AcquireOptions, Mutex } from "./mutex.ts";
