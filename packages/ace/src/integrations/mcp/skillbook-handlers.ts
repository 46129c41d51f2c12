import type { Skill } from "../../skillbook/skill.ts";
import type { SkillbookStats } from "../../skillbook/stats.ts";
import type { Answer, CallContext, HandlerDeps } from "./call.ts";
import type { Requests } from "./models.ts";
import { readBook, writeBook } from "./book-files.ts";
import { checkNames } from "./sizes.ts";

/** `ace.skillbook.get`: the best skills first (helpful minus harmful, then the newest). */
export async function getSkillbook(
  request: Requests["ace.skillbook.get"],
  context: CallContext,
  { registry }: HandlerDeps,
): Promise<Answer<"ace.skillbook.get">> {
  checkNames(request);
  const use = { create: false, signal: context.signal };
  return await registry.use(request.session_id, use, async ({ skillbook }) => {
    const candidates = skillbook.skills({ includeInvalid: request.include_invalid });
    const skills = candidates.toSorted(bestFirst).slice(0, request.limit);
    return {
      reply: {
        session_id: request.session_id,
        stats: {
          ...statsRecord(skillbook.stats()),
          returned: skills.length,
          total: candidates.length,
        },
        skills: skills.map((skill) => skillRecord(skill, request.include_invalid)),
      },
    };
  });
}

/** `ace.skillbook.save`. The reply holds the canonical path. */
export async function saveBook(
  request: Requests["ace.skillbook.save"],
  context: CallContext,
  { registry, paths, config }: HandlerDeps,
): Promise<Answer<"ace.skillbook.save">> {
  checkNames(request);
  const admit = async (): Promise<void> => await paths.admit(request.path, "save");
  const use = { create: false, signal: context.signal, admit };
  return await registry.use(request.session_id, use, async (session) => {
    const target = await paths.forSave(request.path);
    const mode = await writeBook(session, target, context.signal);
    if (!config.autosave) session.markClean();
    return {
      reply: {
        session_id: request.session_id,
        path: target.path,
        saved_skill_count: session.skillbook.size,
      },
      meta: { "acumen/save": { mode } },
    };
  });
}

/**
 * `ace.skillbook.load`. The file is read when the session's turn comes (a save that was sent before may be writing it), and
 * before the session is touched, so that a bad file changes and creates nothing.
 */
export async function loadBook(
  request: Requests["ace.skillbook.load"],
  context: CallContext,
  { registry, paths, config }: HandlerDeps,
): Promise<Answer<"ace.skillbook.load">> {
  checkNames(request);
  const admit = async (): Promise<void> => await paths.admit(request.path, "load");
  const use = { create: true, signal: context.signal, admit };
  return await registry.use(request.session_id, use, async (session) => {
    const source = await paths.forLoad(request.path);
    const { skillbook, file, report } = await readBook(source);
    session.replaceSkillbook(skillbook);
    session.rememberFile(source.path, file);
    session.establish();
    if (!config.autosave) session.markClean();
    return {
      reply: {
        session_id: request.session_id,
        path: source.path,
        skill_count: session.skillbook.size,
      },
      meta: {
        "acumen/load": {
          loaded: report.loaded,
          skipped: report.skipped.slice(0, 20).map(({ id, reason }) => ({ id, reason })),
          skipped_count: report.skipped.length,
          repaired_count: report.repaired.length,
          migrated_from: report.migratedFrom,
        },
      },
    };
  });
}

function bestFirst(a: Skill, b: Skill): number {
  const value = b.helpful - b.harmful - (a.helpful - a.harmful);
  if (value !== 0) return value;
  if (a.createdAt !== b.createdAt) return Date.parse(b.createdAt) - Date.parse(a.createdAt);
  return b.id.localeCompare(a.id, "en", { numeric: true });
}

function statsRecord(stats: SkillbookStats): Record<string, unknown> {
  return {
    sections: stats.sections,
    skills: stats.skills,
    invalid: stats.invalid,
    by_section: stats.bySection,
    tags: stats.tags,
    left_out: stats.leftOut,
    revision: stats.revision,
  };
}

function skillRecord(skill: Skill, withStatus: boolean) {
  return {
    id: skill.id,
    content: skill.content,
    topic: skill.section,
    helpful: skill.helpful,
    harmful: skill.harmful,
    neutral: skill.neutral,
    ...(withStatus && { status: skill.status }),
  };
}
