import { createServer } from "node:net";
import { gitVersion } from "../practice/git-version.ts";
import type { Stage } from "../stage.ts";

const OLDEST = { major: 2, minor: 38 };

/**
 * What the act needs and this machine does not have, as a reason to leave it out.
 * @throws the signal's reason
 */
export async function whatIsMissing({
  root,
  variables,
  signal,
}: Stage): Promise<string | undefined> {
  const git = await gitVersion({
    cwd: root,
    env: { PATH: variables["PATH"] ?? "" },
    ...(signal && { signal }),
  });
  if (git === undefined) return "plans need git, and there is none";
  const { major, minor } = git;
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    return `plans need git ${OLDEST.major}.${OLDEST.minor} or newer, and this is ${major}.${minor}`;
  }
  if (await canListen()) return undefined;
  return "nothing can listen on 127.0.0.1 here, so there is no HTTP";
}

/** False in a namespace without a loopback interface. */
function canListen(): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(0, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
