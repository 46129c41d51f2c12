import { FakeClock } from "@acumen/testkit";
import { MemorySessionStore } from "../../src/index.ts";
import { START } from "./support.ts";
import { storeContract } from "./store-contract.ts";

storeContract("sessions in memory", async () => {
  const clock = new FakeClock(START);
  return {
    store: new MemorySessionStore({ clock }),
    clock,
    [Symbol.asyncDispose]: async () => undefined,
  };
});
