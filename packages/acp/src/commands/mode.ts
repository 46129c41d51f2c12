import type { SessionMode } from "@acumen/agent";
import type { HostCommand } from "./host-command.ts";

const MEANINGS: Readonly<Record<SessionMode, string>> = {
  auto: "nothing is asked",
  safe: "reads run, everything else is asked",
  manual: "everything is asked",
};

export const modeCommand: HostCommand = {
  name: "mode",
  description: "Show or choose what runs without asking",
  hint: "[auto|safe|manual]",
  run: async ({ session, setMode, say }, words) => {
    const { SESSION_MODES } = await import("@acumen/agent");
    const mode = SESSION_MODES.find((name) => name === words.toLowerCase());
    if (words !== "" && mode === undefined) {
      return `There is no mode ${say.code(words)}. Say \`/mode auto|safe|manual\`.`;
    }
    if (mode !== undefined) await setMode(mode);
    const { mode: chosen, effectiveMode: holds } = session;
    const acts =
      chosen === holds
        ? ""
        : ` Here it acts as ${holds}, because the folder is not trusted; see \`/trust\`.`;
    return `Mode ${chosen}: ${MEANINGS[chosen]}.${acts}`;
  },
};
