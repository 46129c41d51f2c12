import { spawn } from "node:child_process";

const FOR_EVER = "setInterval(() => undefined, 60_000)";
const DEAF = `process.on("SIGTERM", () => undefined); ${FOR_EVER}`;

/** A child of the server that holds its pipes and lives on when the server is gone. */
const grandchild =
  (script, options = {}) =>
  (server) => {
    server.beforeStart = () => {
      const child = spawn(process.execPath, ["-e", script], { stdio: "inherit", ...options });
      child.unref();
      server.note("grandchild", { child: child.pid });
    };
  };

/** Processes that do not want to end. */
export const processModes = {
  "ignores-sigterm": (server) => {
    process.on("SIGTERM", () => server.note("terminated"));
    server.onEnd = () => undefined;
    server.onGone = () => undefined;
    setInterval(() => undefined, 60_000);
  },
  "ignores-stdin-end": (server) => {
    server.onEnd = () => undefined;
    setInterval(() => undefined, 60_000);
  },
  grandchild: grandchild(FOR_EVER),
  "grandchild-that-ignores-sigterm": grandchild(DEAF),
  /** Leads a process group of its own, as a launcher's child may. */
  "grandchild-in-its-own-group": grandchild(FOR_EVER, { detached: true }),
  /** Starts the real server as a child with the same pipes and waits for it, as `npx` does. */
  launcher: (server) => {
    server.start = () => {
      const args = [process.argv[1], "well", JSON.stringify(server.options)];
      const child = spawn(process.execPath, args, { stdio: "inherit" });
      child.on("exit", (code) => process.exit(code ?? 1));
    };
  },
  "writes-after-stdin-end": (server) => {
    server.onEnd = () => {
      setInterval(() => server.notify("notifications/message", { level: "info", data: "bye" }), 1);
    };
  },
};
