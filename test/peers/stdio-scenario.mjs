/**
 * One scenario against a server over stdio, the same for every SDK client: list the tools, make the calls (one after
 * another, or all at once), close. What happened is printed as one line of JSON for the test that started this.
 */
export async function runScenario(client, transport, scenario, describeConnection) {
  const stderr = [];
  transport.stderr?.on("data", (chunk) => stderr.push(String(chunk)));
  await client.connect(transport);
  const { tools } = await client.listTools();
  const call = async (request) => {
    const progress = [];
    const abort = new AbortController();
    const options = {
      signal: abort.signal,
      timeout: 30_000,
      ...(request.progress === true && {
        onprogress: (note) => {
          progress.push(note);
          if (progress.length === request.abortAfterNotes)
            abort.abort(new Error("the scenario aborts"));
        },
      }),
    };
    const params = { name: request.name, arguments: request.arguments };
    try {
      return { result: await client.callTool(params, ...scenario.callToolArgs, options), progress };
    } catch (error) {
      return { error: { code: error.code, message: error.message }, progress };
    }
  };
  const results = [];
  if (scenario.parallel === true) results.push(...(await Promise.all(scenario.calls.map(call))));
  else for (const request of scenario.calls) results.push(await call(request));
  const connection = describeConnection();
  const closing = performance.now();
  await client.close();
  const closeMs = Math.round(performance.now() - closing);
  process.stdout.write(
    `${JSON.stringify({ ...connection, tools, results, closeMs, stderr: stderr.join("") })}\n`,
  );
}
