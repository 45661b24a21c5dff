// The page of a run that goes on, in a real browser: it opens without an error and asks nobody else, chains and R-hat grow, parameters
// are looked at, draws asked for and the run stopped by keyboard, narrow and dark, and a browser that is closed changes nothing.
// usage: node check.mjs CREDO MODULES [SCREENSHOTS]    MODULES: a folder with node_modules, SCREENSHOTS: one for pictures of the page
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [credo, modules, screenshots] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser_path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
if (!browser_path) {
  console.error("check.mjs: there is no Chromium: install Debian's package chromium");
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "credo_live_"));
const kRows = 8000, kDraws = 600, kEndless = 2_000_000;  // so slow that a look at the draws stays quick
const processes = [];
let failed = 0, checked = 0;

function expect(is_true, words) {
  ++checked;
  if (is_true) return;
  ++failed;
  console.log(`  FAILED: ${words}`);
}

function write_program() {
  writeFileSync(join(folder, "model.stan"), `data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; real<lower=0> s; }
model { a ~ normal(0, 5); b ~ normal(0, 5); s ~ normal(0, 2); for (n in 1:N) y[n] ~ student_t(4, a + b * x[n], s); }`);
  const x = Array.from({ length: kRows }, (_, n) => ((7919 * n) % kRows) / kRows);
  writeFileSync(join(folder, "data.json"), JSON.stringify({ N: kRows, x, y: x.map((v, n) => 1 + 2 * v + ((104729 * n) % 1000) / 500 - 1) }));
}

const words_of = (output, draws) => ["sample", "model.stan", "--data", "data.json", "--seed", "1", "--quiet", "--warmup", "300", "--threads", "1", "--draws", String(draws), "--format", "csv", "-o", output];

// {process, address, ended: status}
function begin(output, draws) {
  const process = spawn(credo, [...words_of(output, draws), "--live"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  processes.push(process);
  const ended = new Promise((resolve) => process.on("exit", (status) => resolve(status)));
  return new Promise((resolve, reject) => {
    let said = "";
    process.stderr.on("data", (piece) => {
      said += piece;
      const found = said.match(/watch the run at (http:\/\/\S+)/);
      if (found) resolve({ process, address: found[1], ended });
    });
    ended.then((status) => reject(new Error(`the run ended with status ${status}: ${said}`)));
  });
}

function draws_of(output) {
  return [1, 2, 3, 4].map((chain) => readFileSync(join(folder, `${output}_${chain}.csv`), "utf8").split("\n").filter((line) => !line.startsWith("#")).join("\n")).join("\n");
}

async function until(holds, seconds = 60) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100)))
    if (await holds()) return true;
  return false;
}

async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: options.width ?? 1200, height: 900 }, colorScheme: options.scheme ?? "light" });
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && !message.text().includes("409") && page.faults.push(`console: ${message.text()}`));
  page.on("request", (request) => request.url().startsWith(address) || page.faults.push(`request: ${request.url().slice(0, 80)}`));
  await page.goto(address, { waitUntil: "load" });
  return page;
}

const text = (page, id) => page.locator(`#${id}`).textContent();
const iterations = (page) => page.locator("[role=progressbar]").evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("aria-valuenow"))));

async function is_accessible(page, words) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const grave = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  expect(grave.length === 0, `${words}: ${grave.map((one) => `${one.id} ${one.nodes[0].target}`).join(", ")}`);
}

async function shows_what_grows(page) {
  expect(await until(async () => /^\d+\.\d{3}$/.test(await text(page, "rhat"))), "R-hat is told while the run goes on");
  const before = await iterations(page), looks = await page.locator("#plot-rhat path").getAttribute("d");
  expect(before.length === 4, `four chains: ${before}`);
  expect(await until(async () => (await iterations(page)).every((n, c) => n > before[c])), "all chains grow");
  expect(await until(async () => (await page.locator("#plot-rhat path").getAttribute("d")) !== looks), "the line of R-hat grows");
  expect((await page.locator("#rows button").allTextContents()).sort().join() === "a,b,s", "the parameters by name");
  expect((await page.locator("#trace path").count()) === 4, "a line of the trace for each chain");
  expect((await text(page, "status")).startsWith("Going on"), "it says that the run goes on");
}

// From the top by Tab alone: the number of draws, its button, that which stops, and a parameter.
async function works_by_keyboard(page) {
  await page.evaluate(() => document.activeElement.blur());
  const seen = [];
  for (let k = 0; k < 6; ++k) {
    await page.keyboard.press("Tab");
    seen.push(await page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.dataset.index));
  }
  expect(seen.slice(0, 4).join() === "draws,more-draws,stop,table", `what Tab comes to: ${seen}`);
  await page.getByRole("button", { name: "b", exact: true }).focus();
  await page.keyboard.press("Enter");
  expect(await until(async () => (await text(page, "h-trace")).startsWith("Trace of b")), "Enter on a parameter shows its trace");
}

async function extends_by_keyboard(page, draws, words) {
  await page.locator("#draws").fill(String(draws));
  await page.locator("#draws").press("Enter");
  return until(async () => (await text(page, "asked")).includes(words));
}

async function fits(browser, address) {
  for (const scheme of ["light", "dark"]) {
    const page = await open(browser, address, { width: 320, scheme });
    await until(async () => (await page.locator("#rows tr").count()) === 3);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width <= 320, `nothing is wider than 320 px: ${width}`);
    const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number));
    expect(back.every((part) => (scheme === "dark" ? part < 60 : part > 200)), `${scheme} is ${back}`);
    await is_accessible(page, `${scheme}, 320 px`);
    if (screenshots) await page.screenshot({ path: join(screenshots, `live_320_${scheme}.png`), fullPage: true });
    expect(page.faults.length === 0, `${scheme}: ${page.faults}`);
    await page.context().close();
  }
}

// A run without an end, until it is stopped.
async function watches_extends_and_stops(browser) {
  const run = await begin("endless", kEndless);
  const page = await open(browser, run.address);
  await shows_what_grows(page);
  await works_by_keyboard(page);
  expect(await extends_by_keyboard(page, 10, "Not extended: the run has 2000000 draws"), `fewer draws are refused: ${await text(page, "asked")}`);
  expect(await extends_by_keyboard(page, 2 * kEndless, `go on to ${2 * kEndless} draws each`), `more are asked for: ${await text(page, "asked")}`);
  if (screenshots) await page.screenshot({ path: join(screenshots, "live.png"), fullPage: true });
  await is_accessible(page, "wide");
  await fits(browser, run.address);
  page.on("dialog", (dialog) => dialog.accept());
  await page.locator("#stop").focus();
  await page.keyboard.press("Enter");
  expect((await run.ended) === 7, "a run that is stopped by the page ends as if interrupted");
  expect(await until(async () => (await text(page, "status")).startsWith("The run was stopped"), 5), `and the page says so: ${await text(page, "status")}`);
  expect(await page.locator("#stop").isDisabled(), "nothing is left to stop");
  expect(page.faults.length === 0, `faults: ${page.faults}`);
  await page.context().close();
}

// Stops the run where it holds no lock of its run file: a process that is stopped within a write keeps everybody out of the file.
async function stops_between_writes(run, page) {
  for (let k = 0; k < 12; ++k) {
    run.process.kill("SIGSTOP");
    await page.reload({ waitUntil: "load" });
    if (await until(async () => (await page.locator("[role=progressbar]").count()) === 4, 8)) return true;
    run.process.kill("SIGCONT");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

// A run of half of the draws that is extended by the browser, which is closed then. It waits (SIGSTOP) as long as it is looked at.
async function changes_nothing_when_closed(browser) {
  execFileSync(credo, words_of("plain", kDraws), { cwd: folder, stdio: "ignore" });
  const run = await begin("closed", kDraws / 2);
  await until(() => existsSync(join(folder, "closed.run")));
  const page = await open(browser, run.address);
  expect(await stops_between_writes(run, page), "a run that waits is shown");
  expect(await extends_by_keyboard(page, kDraws, `go on to ${kDraws} draws each`), `it is extended: ${await text(page, "asked")}`);
  expect(page.faults.length === 0, `faults: ${page.faults}`);
  await browser.close();
  run.process.kill("SIGCONT");
  expect((await run.ended) === 0, "a run whose browser is closed ends as others do");
  expect(draws_of("closed") === draws_of("plain"), "with the draws of a run that was asked for so many, and that nobody watched");
}

async function main() {
  write_program();
  const browser = await chromium.launch({ executablePath: browser_path, args: ["--no-sandbox"] });
  try {
    await watches_extends_and_stops(browser);
    await changes_nothing_when_closed(browser);
  } catch (error) {
    expect(false, error.message.split("\n")[0]);
  }
  await browser.close();
  console.log(`${checked} expectations, ${failed} failed`);
}

await main().finally(() => {
  for (const process of processes) process.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
process.exitCode = failed > 0 || checked === 0 ? 1 : 0;
