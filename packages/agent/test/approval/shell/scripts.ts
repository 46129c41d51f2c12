import fc from "fast-check";

const PIECES = [
  ..."zz|zz|zz x|a|b| | | |'|'|\"|\"|\\|$|`|(|)|((|))|$(|${|}|{ |; }|#| # |$'|\\x7a|\\172".split(
    "|",
  ),
  ..."<<E\n,<<E,<<'E'\n,\nE\n,\nE,<<-E,<<< ,>o ,<,>(,<(,&>o ,2>&1 ".split(","),
  ..."if ,; then ,; fi,else ,for x in ,; do ,do ,; done,case , in ,esac,esac\n,;;,a) ,*) ,[[ , ]],[ , ]".split(
    ",",
  ),
  ..."eval ,x=zz,x=,$x,${x},${x:-,$x ,! ,time ,time -p ,function f ,f() ,f\n,command ,builtin ,exec ,env ".split(
    ",",
  ),
  ..."echo ,: ,z\\\nz,z''z,\"z\"z,coproc ,trap ,{zz,a},a[1,]=,<<2,$[,+,=,$((1,+1)),~,E,\t,!,1,-c ".split(
    ",",
  ),
  ..."\n \n ; & && || |".split(" "),
  "{zz,a}",
];

/** Pieces of shell in any order: most of it is broken. */
export const brokenScript: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.join(""));

const WORDS = [
  ..."zz|a|a b|'zz' x|\\zz|z'z' a|$'z\\x7a' x|: '|a \"'\"|a '\"'|a \\'|a \\\"|a ${#x}|a $#|a b#c|x=1 zz|a {}".split(
    "|",
  ),
  "a $'\\''",
];
/** Commands with a place for a script. */
const NESTING = [
  "a $(@)",
  'a "$(@)" b',
  "(@)",
  "{ @\n}",
  'a "${x:-$(@)}"',
  'a ${x:-"$(@)"}',
  "if @\nthen @\nfi",
  "case a in (b) a;; a) @\n;; esac",
  'a "$(case a in b) a;; a) @\nesac)"',
  ": <<E\n$(@)\nE\n",
  ": <<'E'\n@\nE\n",
  'a "$(: <<E\n\'\nE\n@)"',
  "for i in 1; do @\ndone",
  "[[ a == $(@) && ( b ) ]] ",
  "a <(@)",
  "eval '@'",
  ": $(( $(@) + 1 ))",
  "a `@`",
  ">o @",
  "f() { @\n}; f",
];
const JOINS = ["\n", ";", " && ", " || ", " | ", "\n\n", " # '\n", ' #"`\n'];

/** Well-formed for the most part, nested without end. */
export const nestedScript: fc.Arbitrary<string> = fc.letrec<{ script: string; command: string }>(
  (tie) => ({
    script: fc.oneof(
      { maxDepth: 4 },
      tie("command"),
      fc.tuple(tie("script"), fc.constantFrom(...JOINS), tie("script")).map((p) => p.join("")),
    ),
    command: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...WORDS),
      fc
        .tuple(fc.constantFrom(...NESTING), tie("script"))
        .map(([outer, inner]) => outer.replaceAll("@", () => inner)),
    ),
  }),
).script;
