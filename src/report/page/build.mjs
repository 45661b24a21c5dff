// Bundles the page: index.html with style.css and main.js in it. usage: node build.mjs FROM OUTPUT in the folder of node_modules
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { build } = createRequire(join(process.cwd(), "package.json"))("esbuild");
const [from, output] = process.argv.slice(2);
const common = { bundle: true, minify: true, write: false, charset: "utf8", nodePaths: [join(process.cwd(), "node_modules")] };
const [script, style] = await Promise.all([
  build({ ...common, entryPoints: [join(from, "main.js")], format: "iife", target: "es2021" }),
  build({ ...common, entryPoints: [join(from, "style.css")] }),
]);
const parts = { PAGE_SCRIPT: script.outputFiles[0].text.trim(), PAGE_STYLE: style.outputFiles[0].text.trim() };
for (const [name, text] of Object.entries(parts))
  if (/%(REPORT|PAGE)_|<\/(script|style)/i.test(text)) throw new Error(`${name} has a mark of the template in it`);
const page = readFileSync(join(from, "index.html"), "utf8").replace(/%(PAGE_\w+)%/g, (_, name) => parts[name]);
writeFileSync(output, page);
