import { isFileRefused } from "../../workspace/file-refused.ts";
import { failed } from "../define-tool.ts";
import type { RefusedCall, ToolOutcome } from "../tool.ts";

/** What may not or can not be done with a file is a value for the model; everything else stays an error. */
export async function failedWhenRefused(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (isFileRefused(error)) return failed(error.message);
    throw error;
  }
}

/** The same for what is found before the call runs. */
export async function refusedWhenRefused<T>(
  title: string,
  work: () => Promise<T>,
): Promise<T | RefusedCall> {
  try {
    return await work();
  } catch (error) {
    if (isFileRefused(error)) return { ok: false, title, message: error.message };
    throw error;
  }
}
