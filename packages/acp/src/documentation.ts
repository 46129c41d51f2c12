// What generated documents say. An entry of its own: it loads how events become updates, which a greeting does without.
export { HOST_UPDATE_ROWS } from "./mapping/event-rows.ts";
