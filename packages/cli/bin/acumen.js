#!/usr/bin/env node
import { existsSync } from "node:fs";

// A checkout that was not built yet gets a sentence instead of a stack.
const entry = new URL("../dist/bin.js", import.meta.url);
if (existsSync(entry)) {
  await import(entry.href);
} else {
  process.stderr.write("acumen: dist is missing; run `npm run build` in the checkout first.\n");
  process.exitCode = 2;
}
