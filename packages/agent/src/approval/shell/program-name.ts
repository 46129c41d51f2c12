/** The name under which a program is known, whatever path it is called by; in lower case, as some file systems see it. */
export function programName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1).toLowerCase();
}
