/** What goes wrong before the first list of tools. Each changes a `ScriptedServer`. */
export const startModes = {
  banner: (server) => {
    server.beforeStart = () =>
      server.raw(
        "Welcome to the server!\n\n[info] listening { port: 1 }\n\u001b[32mready\u001b[0m\n",
      );
    const send = server.send.bind(server);
    server.send = (message) => {
      server.raw("debug: about to answer\n");
      send(message);
    };
  },
  "json-that-is-no-message": (server) => {
    server.beforeStart = () =>
      server.raw('{"level":"info","msg":"up"}\n[]\n42\n"text"\nnull\n{"jsonrpc":"1.0","id":0}\n');
  },
  "byte-order-mark": (server) => {
    server.beforeStart = () => server.raw("\uFEFF");
  },
  "crlf-line-ends": (server) => {
    server.lineEnd = "\r\n";
  },
  "single-bytes": (server) => {
    server.raw = (written) => {
      for (const byte of Buffer.from(written)) process.stdout.write(Buffer.of(byte));
    };
  },
  "exit-at-start": (server) => {
    server.start = () => {
      process.stderr.write("config file not found: /etc/scripted.conf\nlast words of the server\n");
      process.exitCode = 3;
    };
  },
  "exit-0-at-start": (server) => {
    server.start = () => undefined;
  },
  "killed-at-start": (server) => {
    server.start = () => process.kill(process.pid, "SIGKILL");
  },
  "stderr-secrets-then-exit": (server) => {
    server.start = () => {
      process.stderr.write(`login with ${process.env.SERVER_SECRET} failed\n`);
      process.stderr.write(`key sk-${"k3yV4lue".repeat(5)} is not valid\n`);
      process.exitCode = 1;
    };
  },
  "stderr-flood": (server) => {
    server.beforeStart = () => {
      const line = `${"noise ".repeat(170)}\n`;
      for (let written = 0; written < 10 * 2 ** 20; written += line.length)
        process.stderr.write(line);
      process.stderr.write("end of the noise\n");
    };
  },
  "never-initializes": (server) => {
    server.requested = () => undefined;
  },
  "never-reads": (server) => {
    server.read = () => setInterval(() => undefined, 60_000);
  },
  "initialize-error": (server) => {
    const requested = server.requested.bind(server);
    server.requested = (message) =>
      message.method === "initialize"
        ? server.refuse(message.id, -32603, "licence expired")
        : requested(message);
  },
  "initialize-nonsense": (server) => {
    server.initialize = () => ({ hello: "world" });
  },
  "future-version": (server) => {
    server.protocolVersion = "2099-01-01";
  },
  "oldest-version": (server) => {
    server.protocolVersion = "2024-11-05";
  },
  "exit-on-unknown-request": (server) => {
    server.refuse = (_id, _code, message) => {
      process.stderr.write(`fatal: ${message}\n`);
      process.exit(70);
    };
  },
  /** Answers `initialize` after `options.delayMs`. */
  "slow-start": (server) => {
    const requested = server.requested.bind(server);
    server.requested = (message) =>
      message.method === "initialize"
        ? setTimeout(() => requested(message), server.options.delayMs)
        : requested(message);
  },
  /** Ends soon after each list of tools. */
  "crash-after-each-start": (server) => {
    const list = server.list.bind(server);
    server.list = (id, params) => {
      list(id, params);
      setTimeout(() => {
        process.stderr.write("out of licences\n");
        process.exit(9);
      }, server.options.delayMs);
    };
  },
};
