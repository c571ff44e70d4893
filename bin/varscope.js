#!/usr/bin/env node
import { existsSync } from "node:fs";

const main = new URL("../build/js/cli/main.js", import.meta.url);
if (!existsSync(main)) {
  process.stderr.write("varscope: not built yet; run `npm run setup` in its folder first\n");
  process.exit(1);
}
await import(main.href);
