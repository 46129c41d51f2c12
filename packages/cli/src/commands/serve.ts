import { type Command, InvalidArgumentError } from "commander";
import type { CommandContext } from "../command-context.ts";
import type { FacadeFlags } from "../serve/open-facade.ts";

export interface ServeFlags extends FacadeFlags {
  readonly port: number;
  readonly host: string;
  readonly ephemeral?: boolean;
  readonly insecureBind?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly rotateToken?: boolean;
}

const DEFAULT_PORT = 4747;

export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command("serve")
    .summary("serve plans over HTTP")
    .description(
      "Speaks the Agent Communication Protocol 1.0 over HTTP: an orchestrator creates plans, reviews the diff and applies it. " +
        "Every request needs a bearer token; the first start prints one. Ends with a signal; what runs goes on after the next start.",
    )
    .option("--port <port>", "0: any free one", toPort, DEFAULT_PORT)
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--project <dir...>", "folders that plans may be made for (default: this one)")
    .option("--model <id>", "the model of plans that name none")
    .option("--ephemeral", "keep everything in memory")
    .option("--insecure-bind", "listen beyond this machine without TLS")
    .option("--tls-cert <file>", "certificate (PEM)")
    .option("--tls-key <file>", "its key (PEM)")
    .option("--allow-host <name...>", "names under which a proxy reaches this server")
    .option("--allow-origin <origin...>", "pages that may use this server")
    .option("--allow-model <glob...>", "models that requests may name, such as openai/*")
    .option("--allow-unisolated", "run commands of plans where bubblewrap does not work")
    .option("--allow-network", "commands of plans may use the network from their isolation")
    .option("--rotate-token", "revoke the tokens of the local owner and print a new one")
    .option("--trust-once", "trust every project, for this process alone")
    .option("--config <file>", "settings file instead of $ACUMEN_HOME/config.json")
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen serve\n  $ acumen serve --project ~/shop --project ~/site --allow-model 'anthropic/*'\n  $ acumen serve --allow-host acumen.example.org",
    )
    .action(async (_flags, self: Command) => {
      const { serve } = await import("../serve/serve.ts");
      await serve(self.optsWithGlobals<ServeFlags>(), context);
    });
}

function toPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && text.trim() !== "") return port;
  throw new InvalidArgumentError("Expected a number from 0 to 65535.");
}
