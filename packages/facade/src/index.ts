// Adding a name here makes it public.
export { FACADE_ERRORS, type FacadeErrorCode } from "./errors.ts";
