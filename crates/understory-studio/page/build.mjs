// Builds the page: src/ in, dist/ out. The same sources give the same bytes, so that the committed
// bundle can be checked against them. `node build.mjs --check` writes nothing and fails where dist/
// differs; `--out FOLDER` builds elsewhere.
import { build } from "esbuild";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const page = dirname(fileURLToPath(import.meta.url));
const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const check = process.argv.includes("--check");
const folder = argument("--out") ?? join(page, "dist");

/** Packages whose code is in the bundle, with the text of their licences. */
async function licences(inputs) {
  const names = new Set();
  for (const path of Object.keys(inputs)) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (match) names.add(match[1]);
  }
  let text = "Packages in studio.js and their licences.\n";
  for (const name of [...names].sort()) {
    const root = join(page, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const file = (await readdir(root)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no file with its licence`);
    const words = (await readFile(join(root, file), "utf8")).replaceAll("\r\n", "\n").trim();
    text += `\n${"-".repeat(72)}\n${name} ${version} (${license})\n\n${words}\n`;
  }
  return text;
}

const result = await build({
  absWorkingDir: page,
  entryPoints: { studio: "src/main.ts", style: "src/style.css" },
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  loader: { ".glsl": "text" },
  metafile: true,
  outdir: folder,
  write: false,
  logLevel: "warning",
});
const files = new Map(
  result.outputFiles.map((file) => [file.path.slice(file.path.lastIndexOf("/") + 1), Buffer.from(file.contents)]),
);
for (const name of ["index.html", "icon.svg"]) files.set(name, await readFile(join(page, "src", name)));
files.set("LICENCES.txt", Buffer.from(await licences(result.metafile.inputs)));

if (check) {
  const stale = [];
  for (const [name, bytes] of files) {
    const old = await readFile(join(folder, name)).catch(() => undefined);
    if (!old?.equals(bytes)) stale.push(name);
  }
  const extra = (await readdir(folder).catch(() => [])).filter((name) => !files.has(name));
  if (stale.length + extra.length > 0) {
    console.error(`dist/ is not what src/ gives: ${[...stale, ...extra].join(", ")}; run \`cargo xtask studio\``);
    process.exit(1);
  }
  console.log(`dist/ is what src/ gives: ${files.size} files`);
} else {
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
  for (const [name, bytes] of [...files].sort()) console.log(`${name.padEnd(14)} ${(bytes.length / 1e3).toFixed(1)} kB`);
}
