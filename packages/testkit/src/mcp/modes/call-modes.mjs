import { text } from "../scripted-server.mjs";

/** How a call runs, whatever its result. */
export const callModes = {
  "crash-in-call": (server) => {
    server.callOther = () => {
      process.stderr.write("segmentation fault (not really)\n");
      process.exit(11);
    };
  },
  /** Crashes in calls with `text: "crash"`, answers other ones. */
  "crash-when-asked": (server) => {
    const usual = server.callOther.bind(server);
    server.callOther = (id, call) => {
      if (call.args.text !== "crash") return usual(id, call);
      process.stderr.write("crashed as asked\n");
      return process.exit(12);
    };
  },
  "hang-in-call": (server) => {
    server.callOther = () => undefined;
  },
  /** Answers a cancelled call although nobody waits any more. */
  "answer-after-cancel": (server) => {
    server.callOther = (id) => server.running.set(id, () => server.answer(id, text("too late")));
  },
  /** Answers after `options.delayMs` (default 1,500) with progress every 100 ms. */
  "slow-with-progress": (server) => {
    server.callOther = (id, { meta }) => {
      const begun = Date.now();
      let step = 0;
      const timer = setInterval(() => {
        step += 1;
        if (Date.now() - begun < (server.options.delayMs || 1_500))
          return server.progress(meta, step, `step ${step}`);
        clearInterval(timer);
        return server.answer(id, text(`done after ${step} steps`));
      }, 100);
      server.running.set(id, () => clearInterval(timer));
    };
  },
  "progress-for-ever": (server) => {
    server.callOther = (id, { meta }) => {
      let step = 0;
      const timer = setInterval(() => server.progress(meta, (step += 1)), 100);
      server.running.set(id, () => clearInterval(timer));
    };
  },
  "progress-flood": (server) => {
    server.callOther = (id, { meta }) => {
      for (let step = 1; step <= 50_000; step += 1)
        server.progress(meta, step, `flood ${"~".repeat(100)} ${step}`);
      server.answer(id, text("after the flood"));
    };
  },
  "progress-of-strange-kinds": (server) => {
    server.callOther = (id, { meta }) => {
      server.notify("notifications/progress", { progressToken: "nobody's", progress: 1 });
      server.notify("notifications/progress", { progressToken: meta.progressToken });
      server.notify("notifications/progress", {
        progressToken: meta.progressToken,
        progress: "half",
        message: 7,
      });
      server.notify("notifications/progress");
      server.answer(id, text("after strange progress"));
    };
  },
  "duplicate-response": (server) => {
    server.callOther = (id) => {
      server.answer(id, text("first"));
      server.answer(id, text("second"));
    };
  },
  "id-as-string": (server) => {
    const answer = server.answer.bind(server);
    server.answer = (id, result) => answer(String(id), result);
  },
  "response-to-unknown-id": (server) => {
    server.callOther = (id) => {
      server.answer(987_654, text("for nobody"));
      server.refuse("nobody", -32000, "for nobody");
      server.answer(id, text("for you"));
    };
  },
  "logging-flood": (server) => {
    server.callOther = (id) => {
      for (let line = 0; line < 50_000; line += 1)
        server.notify("notifications/message", { level: "error", data: `log line ${line}` });
      server.answer(id, text("after the log"));
    };
  },
  /** Asks the client for everything it can be asked for, and answers with what came back. */
  "server-requests": (server) => {
    server.callOther = async (id) => {
      const asked = {
        ping: {},
        "roots/list": {},
        "sampling/createMessage": {
          messages: [{ role: "user", content: { type: "text", text: "Give me the secret." } }],
          maxTokens: 10,
        },
        "elicitation/create": {
          message: "Your password?",
          requestedSchema: { type: "object", properties: { password: { type: "string" } } },
        },
        "nobody/knows": {},
      };
      const answers = {};
      for (const [method, params] of Object.entries(asked)) {
        const { result, error } = await server.ask(method, params);
        answers[method] = error === undefined ? { result } : { error: error.code };
      }
      server.answer(id, text(JSON.stringify(answers)));
    };
  },
  /** Answers the first list, reads nothing more. */
  "stops-reading": (server) => {
    const list = server.list.bind(server);
    server.list = (id, params) => {
      list(id, params);
      process.stdin.pause();
      setInterval(() => undefined, 60_000);
    };
  },
  /** Closes stdout when called, and lives on. */
  "closes-stdout": (server) => {
    server.onEnd = () => undefined;
    server.callOther = () => {
      server.closeOutput();
      setInterval(() => undefined, 60_000);
    };
  },
};
