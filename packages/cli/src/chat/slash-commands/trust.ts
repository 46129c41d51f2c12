import { refuseAgent } from "../../refuse-agent.ts";
import { workspaceFolder } from "../../settings/workspace-folder.ts";
import { trustLines, trustState } from "../trust-question.ts";
import type { SlashCommand } from "./slash-command.ts";

export const trustCommand: SlashCommand = {
  name: "trust",
  summary: "let this folder bring settings, servers and skills",
  run: async (room) => {
    const { opened, context, person, session, print } = room;
    const { cwd } = session.workspace;
    const { home, variables } = opened.loaded;
    refuseAgent(variables, "/trust");
    const state = await trustState(cwd, opened);
    if (state.state === "trusted") {
      print("This folder is trusted. `acumen trust --revoke` ends that.");
      if (!session.trusted) await room.resume(session.id);
      return undefined;
    }
    const brings = (await workspaceFolder(cwd, home)) !== undefined;
    const wantsAuto = session.mode === "auto";
    print(...(await trustLines(state, opened, { brings, wantsAuto })));
    if (state.problem !== undefined) return undefined;
    const agreed = await person.ask(context.signal, ({ confirm }) =>
      confirm({ message: "Trust this folder as it is now?", initial: false }),
    );
    if (!agreed) {
      print("It stays untrusted.");
      return undefined;
    }
    await opened.trust.trust(cwd, { digest: state.digest });
    // Settings, rules and skills are read when a session is opened.
    await room.resume(session.id);
    await room.tell("This folder is trusted as it is now; a change below .acumen ends that.");
    return undefined;
  },
};
