// Bundles the tests that need no browser, each with what it tests, and runs them with node's own runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const names = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
const folder = mkdtempSync(join(tmpdir(), "understory-page-"));
try {
  await build({ entryPoints: names.map((name) => join(here, name)), outdir: folder, bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" }, logLevel: "warning" });
  const files = names.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")));
  process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
