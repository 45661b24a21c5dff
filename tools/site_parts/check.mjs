// The site in a real browser, from files and from a plain server: a search finds its page, no page has an error or asks another host,
// none scrolls sideways on a narrow screen, the keyboard reaches the search, and text can be read on light and on dark pages (axe).
// usage: node check.mjs SITE MODULES [SCREENSHOTS]    SCREENSHOTS: a folder for pictures of the site, to be looked at
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, relative } from "node:path";

const [site, modules, screenshots] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const SEARCHES = { // what is asked: a page that is among the first five results
  "divergences": "algorithms/nuts.html", "label_switching": "verdict.html", "pareto": "loo.html", "credo ppc": "commands/ppc.html", "adapt-delta": "commands/sample.html", "exit status": "exit-status.html",
  "missing values": "data.html", "no-u-turn": "algorithms/nuts.html", "beetles": "examples/beetles.html", "dirichlet": "distributions.html", "vehtari2021": "references.html",
};
const READ_BY_AXE = ["index.html", "examples/index.html", "examples/galaxies.html", "commands/sample.html", "verdict.html", "cpp.html", "search.html?q=pareto"];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png" };

const faults = [];
const fault = (text) => faults.push(text);
const all_pages = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? (entry.name.startsWith("_") ? [] : all_pages(join(folder, entry.name))) : entry.name.endsWith(".html") ? [relative(site, join(folder, entry.name))] : []);

function serve() {
  const server = createServer((request, answer) => {
    try {
      const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
      const body = readFileSync(join(site, path));
      answer.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      answer.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

// A page that reports its errors and its requests to anywhere but `base`.
async function open(browser, base, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(120000);  // a busy machine is no fault of the site
  const where = () => page.url().replace(base, "");
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") fault(`${where()}: the console says: ${message.text()}`); });
  page.on("pageerror", (error) => fault(`${where()}: ${error.message}`));
  page.on("request", (request) => { if (!request.url().startsWith(base) && !request.url().startsWith("data:")) fault(`${where()}: asks ${request.url()}`); });
  page.on("requestfailed", (request) => { if (request.failure()?.errorText !== "net::ERR_ABORTED") fault(`${where()}: ${request.url()} fails: ${request.failure()?.errorText}`); });
  return page;
}

async function check_searches(browser, base, searches, with_summaries) {
  const page = await open(browser, base, { viewport: { width: 1200, height: 900 } });
  await page.goto(base + "index.html");
  await page.keyboard.press("/");
  if (await page.evaluate(() => document.activeElement?.name) !== "q") fault("index.html: the key / doesn't lead to the search");
  for (const [query, wanted] of searches) {
    await page.goto(base + "index.html");
    await page.fill("input[name=q]", query);
    await Promise.all([page.waitForURL(/search\.html/), page.press("input[name=q]", "Enter")]);
    await page.waitForFunction(() => /\d/.test(document.querySelector(".search-summary")?.textContent ?? ""), null, { timeout: 120000 }).catch(() => fault(`search: no answer to ${query}`));
    const found = await page.$$eval("#search-results li > a", (links) => links.slice(0, 5).map((link) => link.getAttribute("href").replace(/[?#].*/, "")));
    if (!found.includes(wanted)) fault(`search: ${query} finds ${found.join(", ") || "nothing"}, not ${wanted}`);
    if (with_summaries && !(await page.waitForSelector("#search-results .context", { timeout: 120000 }).catch(() => null))) fault(`search: no summaries for ${query}`);
  }
  await page.context().close();
}

async function check_narrow(browser, base, names) {
  const page = await open(browser, base, { viewport: { width: 320, height: 700 } });
  for (const name of names) {
    await page.goto(base + name, { waitUntil: "domcontentloaded" });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 320) fault(`${name}: ${width} pixels wide on a screen of 320`);
  }
  await page.context().close();
}

async function check_reading(browser, base, scheme) {
  const page = await open(browser, base, { viewport: { width: 1200, height: 900 }, colorScheme: scheme });
  for (const name of READ_BY_AXE) {
    await page.goto(base + name);
    if (name.startsWith("search")) await page.waitForSelector("#search-results li");
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const one of result.violations.filter((one) => ["serious", "critical"].includes(one.impact)))
      fault(`${name} (${scheme}): ${one.id}: ${one.help}: ${one.nodes.length} times, as ${one.nodes[0].html.slice(0, 160)}`);
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).every((value) => value < 80));
    if (dark !== (scheme === "dark")) fault(`${name}: the background isn't ${scheme}`);
  }
  await page.context().close();
}

async function take_screenshots(browser, base) {
  mkdirSync(screenshots, { recursive: true });
  for (const width of [320, 800, 1400])
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(browser, base, { viewport: { width, height: 900 }, colorScheme });
      for (const name of [...READ_BY_AXE, "pictures.html", "workflow.html", "benchmarks.html"]) {
        await page.goto(base + name);
        await page.screenshot({ path: join(screenshots, `${name.replace(/\W+/g, "_")}_${width}_${colorScheme}.png`) });
      }
      await page.context().close();
    }
}

const browser_path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => { try { return statSync(path); } catch { return false; } });
const browser = await chromium.launch({ executablePath: browser_path, args: ["--no-sandbox"] });
const server = await serve();
const files = `file://${site}/`, served = `http://127.0.0.1:${server.address().port}/`, names = all_pages(site), all = Object.entries(SEARCHES), times = [];
try {
  const seconds = async (work) => { const began = Date.now(); await work; return ((Date.now() - began) / 1000).toFixed(1); };
  times.push(await seconds(check_searches(browser, files, all, false)));
  times.push(await seconds(check_searches(browser, served, all.slice(0, 2), true)));
  times.push(await seconds(check_narrow(browser, served, names)));
  for (const scheme of ["light", "dark"]) times.push(await seconds(check_reading(browser, served, scheme)));
  if (screenshots) await take_screenshots(browser, files);
} finally {
  await browser.close();
  server.close();
}
for (const text of faults) console.log(`site: ${text}`);
console.log(`site: in Chromium: ${all.length + 2} searches, ${names.length} pages on a narrow screen, ${2 * READ_BY_AXE.length} read by axe, ${faults.length} faults; seconds: ${times.join(", ")}`);
process.exit(faults.length || !names.length ? 1 : 0);
