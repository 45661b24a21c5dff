// Reports in a real browser: each opens without an error and without a request, its pictures have the figures of the result,
// selection, keyboard, narrow screens, dark mode and printing work, and axe finds no serious fault.
// usage: node check.mjs CREDO SOURCES MODULES [SCREENSHOTS]    SCREENSHOTS: a folder for pictures of the page, to be looked at
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { claims } from "./claims.mjs";

const [credo, sources, modules, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser_path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => { try { return statSync(path); } catch { return false; } });
if (!browser_path) {
  console.error("check.mjs: there is no Chromium: install Debian's package chromium");
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "credo_report_"));
const run = (...words) => execFileSync(credo, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
const examples = join(sources, "examples");

function make_results() {
  const schools = (...more) => run("sample", join(examples, "eight_schools.stan"), "--data", join(examples, "eight_schools.data.json"), "--quiet", "--seed", "1", ...more);
  writeFileSync(join(folder, "centred.stan"), `data { int<lower=0> J; array[J] real y; array[J] real<lower=0> sigma; }
parameters { real mu; real<lower=0> tau; array[J] real theta; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); }
generated quantities { int which = categorical_rng(rep_vector(0.25, 4)); }
`);
  schools("-o", "schools.nc");
  run("sample", "centred.stan", "--data", join(examples, "eight_schools.data.json"), "--quiet", "--seed", "3", "-o", "centred.nc");
  run("report", "centred.nc", "--compare", "schools.nc", "--where", "theta[1] > theta[2]", "--of", "mu + tau", "-o", "centred.html");
  run("export", "centred.nc", "-o", "draws");
  run("sample", join(examples, "eight_schools.stan"), "--data", join(examples, "eight_schools.data.json"), "--quiet", "--sampler", "smc", "--seed", "2", "--draws", "300", "-o", "smc.nc");
  run("report", "smc.nc", "-o", "smc.html");
  const n = 998, y = Array.from({ length: n }, (_, k) => Math.sin(12.9898 * k) * 2 + 1);
  writeFileSync(join(folder, "big.stan"), "data { int N; vector[N] y; } parameters { real mu; real<lower=0> tau; vector[N] theta; } model { mu ~ normal(0, 5); tau ~ normal(0, 2); theta ~ normal(mu, tau); y ~ normal(theta, 1); }");
  writeFileSync(join(folder, "big.data.json"), JSON.stringify({ N: n, y }));
  run("sample", "big.stan", "--data", "big.data.json", "--quiet", "--seed", "1", "-o", "big.nc");
  const began = Date.now();
  run("report", "big.nc", "-o", "big.html");
  return { big_seconds: (Date.now() - began) / 1000, big_bytes: statSync(join(folder, "big.html")).size };
}

// The draws of centred.nc: {name: [chain][draw]}, by the program's own CSV.
function csv_draws() {
  const columns = {};
  for (let chain = 1; chain <= 4; ++chain) {
    const lines = readFileSync(join(folder, `draws_${chain}.csv`), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
    const names = lines[0].split(",");
    names.forEach((name, k) => ((columns[name] ??= [])[chain - 1] = lines.slice(1).map((line) => Number(line.split(",")[k]))));
  }
  return columns;
}

// A planted fault: the report with each quantity's block in the place of the one before.
function shift_draws(from, to) {
  const text = readFileSync(join(folder, from), "utf8"), mark = 'id="report-draws">';
  const first = text.indexOf(mark) + mark.length, end = text.indexOf("</script>", first);
  const letters = (Number(text.match(/"num_bytes":(\d+)/)[1]) / 3) * 4;
  writeFileSync(join(folder, to), text.slice(0, first) + text.slice(first + letters, end) + text.slice(first, first + letters) + text.slice(end));
}

const json = (...words) => JSON.parse(run(...words, "--json"));
let failed = 0, checked = 0;

function expect(is_true, words) {
  ++checked;
  if (is_true) return;
  ++failed;
  console.log(`  FAILED: ${words}`);
}

async function open(browser, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: options.width ?? 1400, height: 900 }, colorScheme: options.scheme ?? "light" });
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && page.faults.push(`console: ${message.text()}`));
  page.on("request", (request) => request.url() === `file://${join(folder, name)}` || page.faults.push(`request: ${request.url().slice(0, 80)}`));
  const began = Date.now();
  await page.goto(`file://${join(folder, name)}`, { waitUntil: "load" });
  await page.waitForFunction(() => document.querySelector("table.quantities tbody tr"));
  page.opened_in = (Date.now() - began) / 1000;
  return page;
}

async function main() {
  const made = make_results();
  const browser = await chromium.launch({ executablePath: browser_path, args: ["--no-sandbox"] });
  const at_hand = { open: (name, options) => open(browser, name, options), expect, json, run, csv: csv_draws(), axe, shift_draws, made, folder, screenshots };
  for (const [name, claim] of Object.entries(claims)) {
    console.log(name);
    try {
      await claim(at_hand);
    } catch (error) {
      expect(false, `${name}: ${error.message.split("\n")[0]}`);
    }
  }
  await browser.close();
  console.log(`${checked} expectations, ${failed} failed`);
}

await main().finally(() => rmSync(folder, { recursive: true, force: true }));
process.exitCode = failed > 0 || checked === 0 ? 1 : 0;
