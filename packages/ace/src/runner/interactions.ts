import { normaliseText } from "../text/normalise.ts";

/** One answered question, kept so that feedback can be tied to what was really said. */
export interface Interaction {
  readonly id: string;
  readonly question: string;
  readonly context: string;
  readonly reasoning: string;
  readonly answer: string;
  /** Skills that the answer cites. */
  readonly skillIds: readonly string[];
  /** Revision of the skillbook that answered. */
  readonly revision: number;
}

export interface InteractionQuery {
  readonly question: string;
  readonly answer: string;
  /** The caller knows which one: then nothing else counts, and an id that is gone matches nothing. */
  readonly interactionId?: string | undefined;
}

/** Enough for a person who rates a conversation; more would only make a wrong match likelier. */
const REMEMBERED = 32;

/** Normal forms are made when feedback first asks for them: most answers are never judged, and asking must stay quick. */
class Entry {
  readonly interaction: Interaction;
  #question: string | undefined;
  #answer: string | undefined;

  constructor(interaction: Interaction) {
    this.interaction = interaction;
  }

  get question(): string {
    return (this.#question ??= normaliseText(this.interaction.question));
  }

  get answer(): string {
    return (this.#answer ??= normaliseText(this.interaction.answer));
  }
}

/** The last 32 interactions of a runner, oldest first. */
export class InteractionLog {
  #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  remember(interaction: Interaction): void {
    this.#entries.push(new Entry(interaction));
    if (this.#entries.length > REMEMBERED) this.#entries.shift();
  }

  /**
   * The interaction that a judgement is about: by id if one is given; else the one with this question (case, spacing and
   * punctuation ignored); if the question was asked more than once, the newest with this answer.
   */
  find(query: InteractionQuery): Interaction | undefined {
    if (query.interactionId !== undefined) {
      return this.#entries.find(({ interaction }) => interaction.id === query.interactionId)
        ?.interaction;
    }
    const question = normaliseText(query.question);
    const asked = this.#entries.filter((entry) => entry.question === question);
    if (asked.length <= 1) return asked[0]?.interaction;
    const answer = normaliseText(query.answer);
    return asked.findLast((entry) => entry.answer === answer)?.interaction;
  }

  clear(): void {
    this.#entries = [];
  }
}
