import { gainPoints, type Score } from "./accuracy.ts";
import { hostFailures, type HostResult } from "./host/host-result.ts";
import { type LeftOut, plansFailures, type PlansResult } from "./plans/plans-result.ts";
import { practiceFailures, type PracticeResult } from "./practice/practice-result.ts";
import { serversFailures, type ServersResult } from "./servers/servers-result.ts";

/** One server process as it was met. */
export interface ServerFacts {
  readonly name: string;
  readonly pid: number;
  readonly protocol: string;
  readonly tools: number;
}

/** What happened in the first process: exam, lessons, exam, controls, save. */
export interface LearningResult {
  readonly server: ServerFacts;
  readonly before: Score;
  readonly after: Score;
  readonly answers: readonly string[];
  /** Always naming the most frequent learned queue. */
  readonly majority: Score;
  /** The same lessons with the queues dealt out at random, learned in a session of their own. */
  readonly shuffled: Score;
  readonly lessons: {
    /** Tickets taught through `ace.learn.sample`. */
    readonly samples: number;
    /** Samples that the tool reported as failed, those of the control included. */
    readonly failed: number;
    /** Tickets taught through `ace.learn.feedback`, and the right answers before their feedback. */
    readonly whileWorking: Score;
  };
  /** Median of all `ace.ask` round trips, in milliseconds. */
  readonly askMs: number;
  readonly savedSkills: number;
}

/** What the second process still knew. */
export interface RestartResult {
  readonly server: ServerFacts;
  readonly loadedSkills: number;
  /** Saved skills that the second process saved again, equal in every field. */
  readonly keptSkills: number;
  /** Exam answers that are word for word those of the first process. */
  readonly identicalAnswers: number;
  readonly score: Score;
}

export interface TourResult {
  readonly learning: LearningResult;
  readonly restart: RestartResult;
  readonly practice: PracticeResult;
  readonly servers: ServersResult;
  readonly host: HostResult;
  readonly plans: PlansResult | LeftOut;
  /** Largest word overlap of an exam ticket with a taught one, 0 … 1. */
  readonly overlap: number;
  readonly seconds: number;
}

/** The bar of the tour, in percentage points over always naming the most frequent queue. */
const MIN_GAIN_POINTS = 25;

/** Every check that failed, as sentences; none when the tour passed. */
export function failuresOf({
  learning,
  restart,
  practice,
  servers,
  host,
  plans,
}: TourResult): readonly string[] {
  const { after, majority, shuffled, lessons, savedSkills, answers } = learning;
  const failures: string[] = [];
  const gain = gainPoints(after, majority);
  if (gain < MIN_GAIN_POINTS) {
    failures.push(
      `the gain over the majority class is ${gain} points, at least ${MIN_GAIN_POINTS} are expected`,
    );
  }
  const control = gainPoints(after, shuffled);
  if (control < MIN_GAIN_POINTS) {
    failures.push(
      `shuffled labels come within ${control} points of the real ones, so the exam measures something else than learning`,
    );
  }
  if (lessons.failed > 0) failures.push(`${lessons.failed} samples could not be learned`);
  if (savedSkills === 0) failures.push("no skill was saved");
  if (restart.loadedSkills !== savedSkills || restart.keptSkills !== savedSkills) {
    failures.push(
      `${savedSkills} skills were saved, ${restart.loadedSkills} loaded and ${restart.keptSkills} unchanged`,
    );
  }
  if (restart.identicalAnswers !== answers.length) {
    failures.push(
      `after the restart ${answers.length - restart.identicalAnswers} of ${answers.length} answers differ`,
    );
  }
  return [
    ...failures,
    ...practiceFailures(practice),
    ...serversFailures(servers),
    ...hostFailures(host),
    ...plansFailures(plans),
  ];
}
