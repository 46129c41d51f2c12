import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { DefinedMcpServer } from "@acumen/agent";
import type { JsonObject } from "../envelope/json-value.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type {
  ListedPage,
  ListedResource,
  ResourceRegistryService,
  ResourceType,
} from "../services/registries.ts";
import type { McpDefinitions } from "./mcp-servers.ts";
import { pageOf } from "./page-of.ts";
import { shownLocation } from "./shown-location.ts";
import { toolPart } from "./tool-name.ts";

export interface ResourceCatalogOptions {
  readonly projects: ProjectRegistry;
  /** `$ACUMEN_HOME`, where the machine's skillbook lies. Absolute. */
  readonly home: string;
  /** Absent: no MCP servers are known. */
  readonly definitions?: McpDefinitions;
}

type ResourceQuery = Parameters<ResourceRegistryService["listResources"]>[0];

/** What is here to work with: projects, skillbooks and MCP servers. Looked at anew each time; nothing is started. */
export class ResourceCatalog implements ResourceRegistryService {
  readonly #options: ResourceCatalogOptions;

  constructor(options: ResourceCatalogOptions) {
    this.#options = options;
  }

  async listResources(query: ResourceQuery): Promise<ListedPage<ListedResource>> {
    const { type_name: type, name_prefix: prefix = "", project } = query;
    const all = await this.#options.projects.list();
    const one = project === undefined ? undefined : await this.#options.projects.find(project);
    const projects = one === undefined ? all : [one];
    const servers = await this.#servers(all);
    const found = [
      ...projects.map(projectResource),
      ...(one === undefined ? await this.#machine() : []),
      ...(await this.#skillbooks(projects)),
      ...(one === undefined ? servers : servers.filter((server) => isChosen(server, one))),
    ].filter(
      ({ type_name: own, name }) => (type === undefined || own === type) && name.startsWith(prefix),
    );
    return pageOf(found, query, ({ name, resource_id: id }) => `${name}\n${id}`);
  }

  async #machine(): Promise<readonly ListedResource[]> {
    const { home } = this.#options;
    const book = await skillbook("machine/skillbook", home, join(home, "skillbook.json"));
    return book === undefined ? [] : [book];
  }

  /** Those that trusted projects bring. */
  async #skillbooks(projects: readonly Project[]): Promise<readonly ListedResource[]> {
    const books = await Promise.all(
      projects
        .filter(({ trusted }) => trusted)
        .map(({ name, path }) =>
          skillbook(`${name}/skillbook`, path, join(path, ".acumen", "skillbook.json")),
        ),
    );
    return books.filter((book) => book !== undefined);
  }

  async #servers(projects: readonly Project[]): Promise<readonly ListedResource[]> {
    const { definitions } = this.#options;
    if (definitions === undefined) return [];
    const { servers } = await definitions.definitions();
    const choices = await Promise.all(
      projects.map(async ({ name, path }) => {
        const resolved = await definitions.sourceFor({ cwd: path }).resolve();
        const chosen = resolved.servers.filter(({ enabled }) => enabled);
        return { project: name, chosen: new Set(chosen.map((server) => server.name)) };
      }),
    );
    return servers.map((server) => {
      const users = choices.filter(({ chosen }) => chosen.has(server.name));
      return serverResource(
        server,
        users.map(({ project }) => project),
      );
    });
  }
}

function isChosen({ details }: ListedResource, { name }: Project): boolean {
  const { enabled_in: projects } = details;
  return Array.isArray(projects) && projects.includes(name);
}

function projectResource({ path, name, kind, trusted }: Project): ListedResource {
  return resource(kind, { name, location: path, details: { trusted } });
}

/** Undefined: there is none, or it leads out of its folder. */
async function skillbook(
  name: string,
  folder: string,
  path: string,
): Promise<ListedResource | undefined> {
  try {
    const [root, location] = await Promise.all([realpath(folder), realpath(path)]);
    const facts = await stat(location);
    if (!facts.isFile() || !location.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
      return undefined;
    }
    return resource("skillbook", { name, location: path, details: { bytes: facts.size } });
  } catch {
    return undefined;
  }
}

function serverResource(server: DefinedMcpServer, projects: readonly string[]): ListedResource {
  const { name, transport, fault } = server;
  return resource(
    "mcp-server",
    {
      name: `mcp/${toolPart(name)}`,
      location: shownLocation(server),
      details: {
        server: name,
        transport,
        enabled_in: [...projects],
        ...(fault !== undefined && { fault }),
      },
    },
    name,
  );
}

/** @param part tells resources of one location apart */
function resource(
  type: ResourceType,
  { name, location, details }: { name: string; location: string; details: JsonObject },
  part = "",
): ListedResource {
  const id = createHash("sha256")
    .update(JSON.stringify([type, location, part]))
    .digest("hex");
  return { resource_id: id.slice(0, 32), name, type_name: type, location, details };
}
