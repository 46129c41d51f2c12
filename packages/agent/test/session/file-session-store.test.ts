import { FakeClock, tempFolder } from "@acumen/testkit";
import { FileSessionStore } from "../../src/index.ts";
import { START } from "./support.ts";
import { storeContract } from "./store-contract.ts";

storeContract("sessions in files", async () => {
  const folder = await tempFolder();
  const clock = new FakeClock(START);
  return {
    store: new FileSessionStore({ home: folder.path, clock }),
    clock,
    [Symbol.asyncDispose]: () => folder.remove(),
  };
});
