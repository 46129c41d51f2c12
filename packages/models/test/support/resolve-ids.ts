import { resolveModel } from "../../src/index.ts";

/** Prints what resolving each argument fails with: in a process of its own, where Node and not Vite looks for packages. */
for (const id of process.argv.slice(2)) {
  try {
    await resolveModel(id, { env: {} });
    console.log("resolved");
  } catch (error) {
    console.log(String(error));
  }
}
