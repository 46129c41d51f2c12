import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

const CHECKOUT = realpathSync(fileURLToPath(new URL("../../../../", import.meta.url)));
const HIDDEN = ["/tmp", "/var/tmp", "/run", userInfo().homedir];

/** Whether a confined command sees this checkout: it does not where the checkout lies below what is hidden from every plan. */
export const isCheckoutSeen = !HIDDEN.some((folder) => CHECKOUT.startsWith(`${folder}${sep}`));

/** For names of tests that need what lies in the checkout within the isolation. */
export const unseenReason = isCheckoutSeen
  ? ""
  : " (not run: this checkout lies below a folder that is hidden from commands of plans)";
