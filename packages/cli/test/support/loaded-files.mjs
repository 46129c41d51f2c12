// Preloaded with `--import`: writes down which files a process loads, in order, and holds back the one that it is told to.
import { register } from "node:module";

const { ACUMEN_TEST_LOADED: list, ACUMEN_TEST_HELD: held } = process.env;
const hooks = `
  import { appendFileSync } from "node:fs";
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(list)}, url + "\\n");
    if (new RegExp(${JSON.stringify(held)}).test(url)) await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
    return next(url, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
