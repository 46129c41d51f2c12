// Adding a name here makes it public. The command line is a program; this entry serves the generated documentation.
export { CLI_ERRORS } from "./errors.ts";
