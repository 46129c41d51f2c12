const list = (words: string): string[] => words.trim().split(/\s+/);

/** Words without which a sentence keeps its meaning. */
export const FILLERS: ReadonlySet<string> = new Set(
  list(`
    a an the this that these those it its of and
    is are was were be been being am do does did doing done has have had having will would shall
    which so then thus also too very just really simply quite please always
    should must need needs needed required require requires ought got
    ensure ensures ensuring sure remember note carefully
  `),
);

/** Small words that one lesson may have over another, but not instead of another ("signed by" is not "signed for", "my" not "your"). */
export const SMALL_WORDS: ReadonlySet<string> = new Set(
  list(`
    for in at by with as on
    who whom what here there
    me my you your yours he him his she her we us our ours they them their
  `),
);

/**
 * Words besides {@link SMALL_WORDS} that one lesson may have over another. A closed list: any other word may make another command
 * ("push", "force push"), another scope ("install", "install globally") or another amount ("refunds", "partial refunds").
 */
export const INTENSIFIERS: ReadonlySet<string> = new Set(
  list(`
    absolutely actually basically certainly clearly definitely essentially extremely honestly indeed kindly
    literally naturally obviously particularly surely truly
  `),
);

/** "make" alone may be the command ("run make test"). */
export const MAKE_SURE = /\b(?:make|makes|making) (?:sure|certain)(?: to)?\b/gi;

/** Different words for one thing where the difference never decides. */
export const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["each", "all"],
  ["every", "all"],
  ["verify", "check"],
  ["verifies", "check"],
  ["uses", "use"],
  ["used", "use"],
  ["using", "use"],
  ["utilize", "use"],
  ["utilise", "use"],
]);

const NOT = list(`not no never none nor neither nothing nobody nowhere cannot avoid avoids avoiding
  cant wont dont doesnt didnt isnt arent wasnt werent shouldnt mustnt couldnt wouldnt hasnt havent neednt aint`);

const RESTRICTORS = list(`
  without except unless only hardly rarely seldom sometimes often usually less least fewer more most
  if when whenever while where wherever until till because or but however although though despite unlike
  instead rather than versus vs before after prior first last next from to into onto over under above below
  off out up down against between within outside inside back again still yet already
  may might can could optional optionally maybe perhaps
  forget forgets fail fails failing refuse refuses stop stops stopping prevent prevents disable disables disabled
  forbid forbids forbidden ban bans skip skips skipping ignore ignores ignoring refrain refrains deny denies denied
  reject rejects rejected decline declines omit omits omitting exclude excludes excluding lack lacks cease ceases
  abort aborts cancel cancels cancelled block blocks blocked remove removes delete deletes undo revert
  false wrong incorrect invalid untrue bad worse worst deprecated obsolete unsafe impossible illegal
  true right correct valid good better best yes
`);

/** Words of other languages that turn a statement round. */
const FOREIGN_NOT = list(`
  nicht kein keine keinen keinem keiner keines nie niemals ohne nur nein weder
  ne pas jamais sans aucun aucune non ni rien seulement
  nunca jamás jamas sin ningún ningun ninguna nada tampoco solo sólo
  mai senza nessun nessuna nessuno niente
  não nao sem nenhum nenhuma apenas
  niet geen nooit zonder alleen
  inte aldrig utan ikke aldri uten ej
  nie nigdy bez tylko nikdy
  не нет ни никогда нельзя без только
  安 안 못 아니
`);

/** Words that decide what a lesson says: two lessons that differ in one of them differ in their conclusion. */
export const DECIDERS: ReadonlyMap<string, string> = new Map([
  ...[...RESTRICTORS, ...FOREIGN_NOT].map((word): [string, string] => [word, word]),
  ...NOT.map((word): [string, string] => [word, "not"]),
  ["prior", "before"],
]);

const NUMBERS = list(`
  zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen twenty
`);

/** Number words as digits. */
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map([
  ...NUMBERS.map((word, value): [string, string] => [word, String(value)]),
  ...list("thirty forty fifty sixty seventy eighty ninety").map((word, i): [string, string] => [
    word,
    String((i + 3) * 10),
  ]),
  ["hundred", "100"],
  ["thousand", "1000"],
  ["million", "1000000"],
  ["billion", "1000000000"],
  ["half", "half"],
  ["twice", "twice"],
  ["once", "once"],
  ["double", "double"],
  ["triple", "triple"],
  ["second", "second"],
  ["third", "third"],
]);

/** Words that end like a plural and are none. */
const NO_PLURAL = new Set(
  list("https news windows pandas aws ios dns tls css js kubernetes redis"),
);

/** Ends of participles whose verb has a final e (generated, removed, handled, closed), and common verbs beside that rule. */
const FINAL_E = /(?:at|ud|ur|or|[vczu]|[^s]s|[bcdfgkptz]l)$/;
const FINAL_E_VERBS = new Set(
  list("cach fil nam cod tim tak shar rout defin combin scop typ chang merg rang writ quot"),
);

/**
 * Light stemming of English inflection (plural, -ing, -ed). Weak on purpose: a verb that is missed costs one merge, two words that
 * fall together (`strip` and `stripe`, had the e been dropped instead) could cost a lesson.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutParticiple(NO_PLURAL.has(word) ? word : withoutPlural(word));
}

function withoutPlural(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|zz)es$/.test(word) && !FINAL_E_VERBS.has(word.slice(0, -2))) {
    return word.slice(0, -2);
  }
  return /[^suio]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutParticiple(word: string): string {
  if (/[^aeiou]ied$/.test(word)) return `${word.slice(0, -3)}y`;
  let base = word;
  if (/[aeiouy].*[^e]ing$/.test(word) && word.length > 5) base = word.slice(0, -3);
  else if (/[aeiouy].*[^e]ed$/.test(word) && word.length > 4) base = word.slice(0, -2);
  if (base === word) return word;
  // stop, stopped
  if (base.length > 3 && /([bdgmnprtv])\1$/.test(base)) return base.slice(0, -1);
  return FINAL_E.test(base) || FINAL_E_VERBS.has(base) ? `${base}e` : base;
}
