// What is claimed of a report, one function each: it gets what check.mjs has at hand.
import { join } from "node:path";

// ---- marks, read back from their paths by the scales of the picture that they are in

// Runs in the page: [{kind, role, chain, label, pieces: [[x, y], ...] of each sub-path}] of a picture's panel.
function marks_in_page([figure_selector, number]) {
  const figure = document.querySelector(figure_selector);
  figure.draw();
  const svg = figure.querySelectorAll("svg.panel")[number];
  const x = svg.scale("x"), y = svg.scale("y");
  const pixel = (scale) => Math.abs(scale.invert(1) - scale.invert(0)) / 100;
  const marks = [...svg.querySelectorAll("g[data-kind]")].map((group) => {
    const pieces = [];
    let px = 0, py = 0;
    for (const [, command, numbers] of group.querySelector("path").getAttribute("d").matchAll(/([MLHVhZ])([^MLHVhZ]*)/g)) {
      if (command === "Z" || command === "h") continue;
      const [a, b] = numbers.split(" ").map(Number);
      if (command === "V") py = a;
      else px = a;
      if (command === "M" || command === "L") py = b;
      if (command === "M") pieces.push([]);
      pieces.at(-1).push([x.invert(px), y.invert(py)]);
    }
    return { ...group.dataset, pieces };
  });
  return { marks, x_pixel: pixel(x), y_pixel: pixel(y), title: figure.querySelectorAll(".panels > div")[number]?.querySelector(".panel-title")?.textContent ?? "" };
}

async function panel(page, figure, number = 0) {
  const read = await page.evaluate(marks_in_page, [figure, number]);
  read.mark = (kind, role, chain) => read.marks.find((m) => m.kind === kind && m.role === role && (chain === undefined || m.chain === String(chain)));
  return read;
}

const quantile = (values, p) => {
  const sorted = [...values].sort((a, b) => a - b), place = (sorted.length - 1) * p, low = Math.floor(place);
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
};
// Paths are rounded to a hundredth of a pixel; what is drawn of draws to 1 / 65534 of their range besides.
const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
const card = (name, kind) => `.card[aria-label="${name}"] figure[data-picture=${kind}]`;

async function choose(page, name) {
  await page.getByLabel("Search quantities").fill(name);
  const box = page.getByLabel(`select ${name}`, { exact: true });
  if (!(await box.isChecked())) await box.check();
  await page.getByLabel("Search quantities").fill("");
}

// ---- claims

export const claims = {
  async "opens without an error, a request or a word that isn't there"({ open, expect, json }) {
    const page = await open("centred.html");
    const diagnosed = json("diagnose", "centred.nc");
    const text = await page.locator("#verdict").innerText();
    expect(text.includes(diagnosed.sentence), `the verdict is told: ${diagnosed.sentence}`);
    const told = (words) => text.replace(/\s+/g, " ").includes(words.replace(/\s+/g, " "));
    const causes = diagnosed.findings.filter((finding) => !finding.explained_by), symptoms = diagnosed.findings.filter((finding) => finding.explained_by);
    for (const finding of diagnosed.findings) expect(told(finding.text), `the words of ${finding.id}`);
    for (const finding of causes) expect(told(`What to do: ${finding.remedy}`), `the remedy of ${finding.id}`);
    for (const finding of symptoms) expect(told(`${finding.text} Explained by ${finding.explained_by}.`), `the cause of ${finding.id}`);
    expect(symptoms.length > 0 && text.split("What to do:").length - 1 === causes.length, "a symptom has no remedy of its own");
    await page.evaluate(() => document.querySelectorAll("figure[data-picture]").forEach((f) => f.draw()));
    expect(page.faults.length === 0, page.faults.join("; "));
    const all = await page.locator("body").innerText();
    expect(!/undefined|\[object|NaN/.test(all), `no undefined or NaN on the page: ${all.match(/.{30}(undefined|\[object|NaN).{30}/)?.[0]}`);
    const program = await page.locator("ol.program li").first().innerText();
    expect(program.startsWith("data { int<lower=0> J;"), "the program is shown");
    await page.context().close();
  },

  async "what was asked is answered as credo summary answers it"({ open, expect, json }) {
    const page = await open("centred.html");
    const told = json("summary", "centred.nc", "--where", "theta[1] > theta[2]", "--of", "mu + tau");
    const sentence = await page.locator("#questions li").innerText();
    const probability = Number(sentence.match(/P\(theta\[1\] > theta\[2\]\) = ([0-9.]+)/)?.[1]);
    expect(near(probability, told.where[0].probability, 5e-5), `the probability is shown to four digits: ${sentence}`);
    const cells = (await page.locator("#questions tbody tr").locator("th, td").allInnerTexts()).map((text) => text.trim());
    const decimals = (cells[1].split(".")[1] ?? "").length;  // those that the error supports: half a unit of the last one
    expect(cells[0] === "mu + tau" && near(Number(cells[1]), told.of[0].mean, 0.5000001 * 10 ** -decimals), `the mean of the expression: ${cells}`);
    expect((await page.locator("#contents a[href='#questions']").count()) === 1, "the contents lead to the questions");
    await page.context().close();
    const without = await open("smc.html");
    expect((await without.locator("#questions").count()) === 0, "no question, no section");
    await without.context().close();
  },

  async "the table has the figures of credo summary"({ open, expect, json }) {
    const page = await open("centred.html");
    const rows = json("summary", "centred.nc");
    const shown = await page.evaluate(() => [...document.querySelectorAll("table.quantities tbody tr[data-index]")].map((row) => [...row.children].map((cell) => cell.textContent.trim())));
    expect(shown.length === rows.length, `${shown.length} rows of ${rows.length}`);
    rows.forEach((row, k) => {
      const [name, , mean, sd, q5, q50, q95, bulk, , r_hat] = shown[k].map((text) => text.replace("\u2212", "-").replace(" (doubtful)", ""));
      expect(name.replace(/[[,]/g, ".").replace("]", "") === row.name, `${name} is ${row.name}`);
      const digits = (text) => Math.pow(10, -(text.split(".")[1]?.length ?? 0));
      for (const [text, value] of [[mean, row.mean], [sd, row.sd], [q5, row.q5], [q50, row.q50], [q95, row.q95]])
        expect(near(Number(text), value, Math.max(0.51 * digits(text), 0.06 * Math.abs(value))), `${name}: ${text} is ${value}`);
      expect(Number(bulk.replace(",", "")) === Math.round(row.ess_bulk), `${name}: ${bulk} effective draws`);
      expect(r_hat === row.r_hat.toFixed(3), `${name}: R-hat ${r_hat}`);
    });
    await page.context().close();
  },

  async "what stands on top says what the verdict says, and fits"({ open, expect }) {
    const page = await open("centred.html", { width: 1280 });
    const [badge, sentence] = await page.evaluate(() => ["word", "sentence"].map((name) => document.querySelector(`#verdict .${name}`).textContent));
    expect(sentence.startsWith(badge) && badge.length > 4, `the badge is the sentence's beginning: ${badge}`);
    const links = await page.evaluate(() => [...document.querySelectorAll("#contents a")].map((a) => { const box = a.getBoundingClientRect(); return [box.top, box.right]; }));
    expect(links.length >= 15 && links.every(([top, right]) => top === links[0][0] && right <= 1280), `${links.length} entries of the contents stand in one line of 1,280 pixels`);
    await page.context().close();
    const narrow = await open("centred.html", { width: 800 });
    const hidden = await narrow.evaluate(() => { const bar = document.getElementById("contents"); return bar.scrollWidth - bar.clientWidth; });
    expect(hidden <= 0, `at 800 pixels ${hidden} of the contents are out of sight`);
    await narrow.context().close();
  },

  async "points of numbers stand below each other, labels beside their axes"({ open, expect }) {
    const page = await open("centred.html");
    const columns = await page.evaluate(() => {
      const places = {};
      for (const row of document.querySelectorAll("table.quantities tbody tr[data-index]"))
        [...row.children].forEach((cell, k) => {
          const node = cell.firstChild, point = node?.nodeType === Node.TEXT_NODE && !node.data.includes("e") ? node.data.indexOf(".") : -1;  // powers of ten end with their column
          if (point < 0) return;
          const range = document.createRange();
          range.setStart(node, point);
          range.setEnd(node, point + 1);
          (places[k] ??= []).push(range.getBoundingClientRect().left);
        });
      return Object.values(places);
    });
    const spread = columns.map((lefts) => Math.max(...lefts) - Math.min(...lefts));
    expect(columns.length >= 5 && spread.every((pixels) => pixels < 1), `points stand in one line: columns differ by ${spread} pixels`);
    await page.evaluate(() => document.querySelectorAll("figure[data-picture]").forEach((f) => f.draw()));
    const labels = await page.evaluate(() => [...document.querySelectorAll("figure[data-picture=loo] .y-label, figure[data-picture=calibration] .y-label")].map((text) => text.textContent));
    expect(labels.includes("Pareto k") && labels.includes("share below, less the place"), `axes say what they show: ${labels}`);
    const clear = await page.evaluate(() => [...document.querySelectorAll(".panels")].flatMap((grid) => {
      const boxes = [...grid.children], titles = boxes.map((box) => box.querySelector(".panel-title")?.getBoundingClientRect());
      return boxes.flatMap((box, k) => titles.filter((title) => title && title.top >= box.getBoundingClientRect().bottom - 1).map((title) => title.top - box.getBoundingClientRect().bottom));
    }));
    expect(clear.length > 0 && Math.min(...clear) >= 12, `titles stand clear of the axes above: ${Math.min(...clear)} pixels`);
    await page.context().close();
  },

  async "legends show marks as they are drawn"({ open, expect }) {
    const page = await open("centred.html");
    await page.evaluate(() => document.querySelectorAll("figure[data-picture]").forEach((f) => f.draw()));
    const alike = await page.evaluate(() => [...document.querySelectorAll("figure .legend")].flatMap((list) => {
      const looks = [...list.querySelectorAll("li")].map((item) => { const path = item.querySelector("path"), style = getComputedStyle(path); return [path.getAttribute("d"), style.stroke, style.strokeWidth, style.strokeDasharray, style.fill, style.fillOpacity].join(); });
      return looks.filter((look, k) => looks.indexOf(look) !== k).map(() => list.closest("figure").dataset.picture);
    }));
    expect(alike.length === 0, `no two keys of a legend look alike: ${alike}`);
    await page.context().close();
  },

  async "traces, ranks, autocorrelations and densities have the draws of the result"({ open, expect, csv }) {
    const page = await open("centred.html");
    await choose(page, "tau");
    const draws = csv.tau, all = draws.flat();
    const range = Math.max(...all) - Math.min(...all);
    const trace = await panel(page, card("tau", "trace"));
    for (let c = 0; c < 4; ++c) {
      const line = trace.mark("line", "chain", c).pieces[0];
      expect(line.length === draws[c].length, "each draw has its place in the trace");
      const wrong = line.filter(([x, y], s) => !near(x, s + 1, 1.1 * trace.x_pixel) || !near(y, draws[c][s], 1.1 * trace.y_pixel + range / 65534));
      expect(wrong.length === 0, `trace of chain ${c + 1}: ${wrong.length} places differ`);
    }
    const divergent = csv.divergent__.flatMap((chain, c) => chain.map((v, s) => [v, s + 1, draws[c][s]])).filter(([v]) => v !== 0);
    expect(divergent.length > 3, "the run has divergent transitions");
    const marked = trace.mark("points", "divergent").pieces.map(([point]) => point);
    expect(marked.length === divergent.length && marked.every(([x, y], k) => near(x, divergent[k][1], 1.1 * trace.x_pixel) && near(y, divergent[k][2], 1.1 * trace.y_pixel + range / 65534)), "divergent transitions are marked in the trace");

    const ranks = await panel(page, card("tau", "ranks"));
    const sorted = [...all].sort((a, b) => a - b);
    const place = new Map();  // of equal draws the mean rank, from 0
    for (let k = 0; k < sorted.length; ++k) place.set(sorted[k], (sorted.indexOf(sorted[k]) + sorted.lastIndexOf(sorted[k])) / 2);
    for (let c = 0; c < 4; ++c) {
      const counts = Array(20).fill(0);
      for (const v of draws[c]) ++counts[Math.floor((place.get(v) + 0.5) / 200)];
      const outline = ranks.mark("line", "chain", c).pieces[0];
      const off = counts.filter((count, b) => !near(outline[2 * b][1], count, 1.1 * ranks.y_pixel));
      expect(off.length === 0, `ranks of chain ${c + 1}: ${off.length} bins differ`);
    }

    const lags = await panel(page, card("tau", "autocorrelation"));
    for (let c = 0; c < 4; ++c) {
      const mean = draws[c].reduce((a, b) => a + b) / draws[c].length;
      const covariance = (lag) => draws[c].slice(lag).reduce((sum, v, s) => sum + (v - mean) * (draws[c][s] - mean), 0);
      const line = lags.mark("line", "chain", c).pieces[0];
      expect(line.length === 41 && line.every(([x, y], lag) => near(x, lag, 1.1 * lags.x_pixel) && near(y, covariance(lag) / covariance(0), 1.1 * lags.y_pixel + 2 / 65534)), `autocorrelations of chain ${c + 1}`);
    }

    const density = await panel(page, card("tau", "density"));
    const area = density.mark("area", "all").pieces[0].slice(0, 100);
    const width = area[1][0] - area[0][0];
    const total = area.reduce((sum, [, y], k) => sum + y * width * (k === 0 || k === 99 ? 0.5 : 1), 0);
    expect(near(total, 1, 0.02), `the density of tau adds up to ${total}`);
    const below = (v) => area.reduce((sum, [x, y]) => sum + (x < v ? y * width : 0), 0);
    expect(near(below(quantile(all, 0.5)), 0.5, 0.05), "half of the density lies below the median");
    for (let c = 0; c < 4; ++c) expect(density.mark("line", "chain", c).pieces[0].length === 100, "each chain has its density");
    await page.context().close();
  },

  async "the draws of another quantity are told apart"({ open, expect, csv, shift_draws }) {
    shift_draws("centred.html", "wrong.html");
    const page = await open("wrong.html");
    await choose(page, "tau");
    const trace = await panel(page, card("tau", "trace"));
    const wrong = trace.mark("line", "chain", 0).pieces[0].filter(([, y], s) => !near(y, csv.tau[0][s], 2 * trace.y_pixel));
    expect(wrong.length > 900, `only ${wrong.length} places of the trace differ`);
    await page.context().close();
  },

  async "whole numbers have the shares of their values"({ open, expect, csv }) {
    const page = await open("centred.html");
    await choose(page, "which");
    const density = await panel(page, card("which", "density"));
    const all = csv.which.flat();
    for (const bar of density.mark("bars", "all").pieces) {
      const value = Math.round((bar[0][0] + bar[2][0]) / 2);
      expect(near(bar[1][1], all.filter((v) => v === value).length / all.length, 1.1 * density.y_pixel + 1 / 65534), `share of ${value}`);
    }
    await page.context().close();
  },

  async "pairs have the draws and mark the divergent ones"({ open, expect, csv }) {
    const page = await open("centred.html");
    for (const _ of await page.locator("#selection .chip").all()) await page.locator("#selection .chip").first().click();
    await choose(page, "mu");
    await choose(page, "tau");
    const pairs = await panel(page, "figure[data-picture=pairs]", 1);
    const points = pairs.marks.filter((m) => m.kind === "points");
    const count = points.reduce((sum, m) => sum + m.pieces.length, 0);
    expect(count === 4000, `${count} of 4000 draws`);
    const tolerance = (name) => { const all = csv[name].flat(); return (Math.max(...all) - Math.min(...all)) / 65534; };
    const wanted = csv.mu.flatMap((chain, c) => chain.map((mu, s) => [mu, csv.tau[c][s], csv.divergent__[c][s]]));
    const is_there = (list, mark) => list.length === mark.pieces.length && list.every(([mu, tau], k) => near(mark.pieces[k][0][0], mu, 1.1 * pairs.x_pixel + tolerance("mu")) && near(mark.pieces[k][0][1], tau, 1.1 * pairs.y_pixel + tolerance("tau")));
    expect(is_there(wanted.filter(([, , d]) => d !== 0), pairs.mark("points", "divergent")), "divergent transitions are where they were");
    expect(is_there(wanted.slice(0, 1000).filter(([, , d]) => d === 0), pairs.mark("points", "chain", 0)), "draws of the first chain");
    await page.context().close();
  },

  async "forest, path, prior and energy have their figures"({ open, expect, csv, json }) {
    const page = await open("centred.html");
    const forest = await panel(page, "#intervals figure");
    const rows = json("summary", "centred.nc").filter((row) => row.name.startsWith("theta"));
    rows.forEach((row, k) => {
      const [low, high] = forest.mark("intervals", "interval").pieces[k];
      expect(near(low[0], row.q5, 1.1 * forest.x_pixel) && near(high[0], row.q95, 1.1 * forest.x_pixel), `interval of ${row.name}`);
      expect(near(forest.mark("points", "observed").pieces[k][0][0], row.q50, 1.1 * forest.x_pixel), `median of ${row.name}`);
    });
    await page.getByLabel("How they are drawn").selectOption("path");
    const path = await panel(page, "#intervals figure");
    rows.forEach((row, k) => expect(near(path.mark("line", "observed").pieces[0][k][1], row.q50, 1.1 * path.y_pixel), `path at ${row.name}`));
    for (const _ of await page.locator("#selection .chip").all()) await page.locator("#selection .chip").first().click();
    await choose(page, "mu");
    const prior = await panel(page, "figure[data-picture=prior]");
    const first = prior.mark("area", "prior").pieces[0];
    expect(prior.title === "mu" && near(first[0][0], -11.6, 3.3) && near(first[99][0], 11.6, 3.3), `the prior of mu is normal(0, 5) within 98 %: ${first[0][0]} to ${first[99][0]}`);  // 4 standard errors
    const posterior = prior.mark("area", "posterior").pieces[0];
    expect(near(posterior[0][0], Math.min(...csv.mu.flat()), 1.1 * prior.x_pixel), "the posterior of mu begins with its least draw");
    const energy = await panel(page, "figure[data-picture=energy]");
    const energies = csv.energy__.flat(), mean = energies.reduce((a, b) => a + b) / energies.length;
    expect(near(energy.mark("area", "posterior").pieces[0][0][0], Math.min(...energies) - mean, 1.1 * energy.x_pixel), "energies begin with the least");
    await page.context().close();
  },

  async "checks, leave-one-out figures and comparisons are those of the commands"({ open, expect, json }) {
    const page = await open("centred.html");
    const checks = json("ppc", "centred.nc", "--replicates", "200").variables[0];
    const statistics = await panel(page, "figure[data-picture=statistics]", 1);
    expect(near(statistics.mark("rule_x", "observed").pieces[0][0][0], checks.statistics[1].observed, 1.1 * statistics.x_pixel), "the observed statistic");
    const calibration = await panel(page, "figure[data-picture=calibration]");
    const below = (x) => checks.places.filter((p) => p <= x).length / 8;  // ties are broken at random: a place may move by 1 / 201
    expect(calibration.mark("line", "posterior").pieces[0].every(([x, y]) => y >= below(x - 0.007) - x - 0.01 && y <= below(x + 0.007) - x + 0.01), "places of observed values");
    const overlay = await panel(page, "figure[data-picture=overlay]");
    expect(overlay.marks.filter((m) => m.role === "replicate").length === 50 && overlay.mark("line", "observed").pieces[0].length > 50, "densities of replicates and of the data");
    const y = [28, 8, -3, 7, -1, 1, 18, 12];
    const intervals = await panel(page, "figure[data-picture=intervals]");
    expect(intervals.mark("points", "observed").pieces.every(([[, v]], k) => near(v, y[k], 1.1 * intervals.y_pixel)), "observed values");
    const predictive = await panel(page, "figure[data-picture=predictive]");
    expect(predictive.marks.filter((m) => m.role === "replicate").length === 50, "50 replicates");
    expect(new Set(predictive.mark("line", "observed").pieces[0].map(([x]) => Math.round(x))).size === 8, "steps at the observed values");
    const rows = json("loo", "centred.nc").rows;
    for (const [kind, name] of [["loo", "pareto_k"], ["scores", "elpd_loo"]]) {
      const read = await panel(page, `figure[data-picture=${kind}]`);
      const points = read.marks.filter((m) => m.kind === "points").flatMap((m) => m.pieces.map(([point]) => point)).sort((a, b) => a[0] - b[0]);
      expect(points.length === 8 && points.every(([, v], k) => near(v, rows[k][name], 1.1 * read.y_pixel)), `${name} of each row`);
    }
    const models = json("compare", "centred.nc", "schools.nc").models;
    const compare = await panel(page, "figure[data-picture=compare]");
    expect(compare.mark("points", "observed").pieces.every(([[x]], k) => near(x, models[k].difference, 1.1 * compare.x_pixel)), "differences of models");
    const ladder = await open("smc.html");
    const stages = await panel(ladder, "figure[data-picture=ladder]");
    expect(stages.marks.length === 4 && stages.mark("line", "chain", 0).pieces[0].length > 1, "stages of each population");
    expect(ladder.faults.length === 0, ladder.faults.join("; "));
    await ladder.context().close();
    await page.context().close();
  },

  async "a chain, a draw and a quantity are selected everywhere"({ open, expect }) {
    const page = await open("centred.html");
    await page.locator("#selection .chains button", { hasText: "2" }).click();
    const opacity = (chain) => page.evaluate((c) => [...document.querySelectorAll(`svg.panel g[data-role=chain][data-chain="${c}"]`)].map((g) => getComputedStyle(g).opacity), chain);
    await page.evaluate(() => document.querySelectorAll("figure[data-picture]").forEach((f) => f.draw()));
    const others = await opacity(0), own = await opacity(1);
    expect(own.length > 10 && own.every((v) => v === "1"), "the chosen chain is shown in full");
    expect(others.length > 10 && others.every((v) => Number(v) < 0.2), "the others step back in every picture");
    await page.keyboard.press("Escape");
    expect((await opacity(0)).every((v) => v === "1"), "Escape shows all chains");

    await page.getByLabel("next divergent transition").click();
    const places = await page.evaluate(() => [...document.querySelectorAll("g.cursor")].map((g) => g.closest("figure").dataset.picture + " " + g.dataset.place));
    expect(places.some((p) => p.startsWith("trace")) && places.some((p) => p.startsWith("pairs")) && new Set(places.map((p) => p.split(" ")[1])).size === 1, `one draw in traces and pairs: ${[...new Set(places)]}`);
    expect((await page.locator("#selection .at").innerText()).includes("divergent transition"), "it is told which");
    expect((await page.locator("#says").textContent()).includes("divergent transition"), "it is said aloud");

    const before = await page.locator(".card").count();
    await choose(page, "theta[5]");
    expect((await page.locator(".card").count()) === before + 1, "a chosen quantity has its pictures");
    await page.getByLabel("take theta[5] away").click();
    expect((await page.locator(".card").count()) === before && !(await page.getByLabel("select theta[5]", { exact: true }).isChecked()), "and loses them, in the table too");
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.querySelector("figure[data-picture=pairs]").scrollIntoView({ block: "center", behavior: "instant" }));
    const place = () => page.evaluate(() => {
      const svg = document.querySelectorAll("figure[data-picture=pairs] svg.panel")[1], box = svg.getBoundingClientRect();
      const [left, top] = svg.querySelector("g[data-role=divergent] path").getAttribute("d").match(/M([\d.]+) ([\d.]+)/).slice(1).map(Number);
      return [box.left + left, box.top + top];
    });
    // Pictures above are drawn as they come into sight, which moves the page for a moment.
    let [x, y] = await place(), still = 0;
    while (still < 3) {
      await page.waitForTimeout(100);
      const now = await place();
      still = now[0] === x && now[1] === y ? still + 1 : 0;
      [x, y] = now;
    }
    await page.mouse.click(x, y);
    expect((await page.locator("#selection .at").innerText()).includes("divergent"), "a point that is clicked is selected");
    await page.context().close();
  },

  async "the keyboard reaches all of it"({ open, expect }) {
    const page = await open("centred.html");
    await page.getByLabel("select lp__", { exact: true }).focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    expect((await focused()) === "select theta[1]", `arrows move along the rows: ${await focused()}`);
    const was = await page.getByLabel("select theta[1]", { exact: true }).isChecked();
    await page.keyboard.press("Space");
    expect((await page.getByLabel("select theta[1]", { exact: true }).isChecked()) !== was, "the space bar selects");
    expect((await focused()) === "select theta[1]", "and the focus stays");
    await page.keyboard.press("End");
    expect((await focused()) === "select which", "End goes to the last row");
    await page.getByRole("button", { name: "R-hat" }).focus();
    await page.keyboard.press("Enter");
    const sorted = await page.evaluate(() => [...document.querySelectorAll("table.quantities tbody tr[data-index] td:last-child")].map((cell) => parseFloat(cell.textContent)));
    expect(sorted.every((v, k) => k === 0 || !(v > sorted[k - 1])), "Enter sorts, the worst R-hat first");
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator("body").press("Tab");
    const reached = new Set();
    for (let k = 0; k < 60; ++k) {
      reached.add(await page.evaluate(() => document.activeElement.closest("#contents, #selection, table, .tools, .scroller, .command")?.id || document.activeElement.closest("table, .tools, .scroller, .command")?.className || ""));
      await page.keyboard.press("Tab");
    }
    for (const part of ["contents", "selection", "tools", "quantities"]) expect(reached.has(part), `Tab reaches ${part}: ${[...reached]}`);
    await page.context().close();
  },

  async "narrow screens, dark ones and paper show all of it"({ open, expect, folder, screenshots }) {
    for (const width of [320, 800, 1400])
      for (const scheme of ["light", "dark"]) {
        const page = await open("centred.html", { width, scheme });
        await page.evaluate(() => document.querySelectorAll("figure[data-picture]").forEach((f) => f.draw()));
        const [wide, view] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        expect(wide <= view, `at ${width} pixels nothing sticks out: ${wide}`);
        const beyond = await page.evaluate(() => [...document.querySelectorAll("svg.panel")].filter((svg) => svg.getBoundingClientRect().right > innerWidth + 1).length);
        expect(beyond === 0, `at ${width} pixels ${beyond} pictures stick out`);
        const [paper, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color].map((c) => c.match(/\d+/g).map(Number).reduce((a, b) => a + b)));
        expect(scheme === "dark" ? paper < ink : paper > ink, `${scheme} is ${scheme}`);
        if (screenshots) await page.screenshot({ path: join(screenshots, `report-${width}-${scheme}.png`), fullPage: true });
        await page.context().close();
      }
    const page = await open("centred.html", { scheme: "dark" });
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.waitForTimeout(100);
    const undrawn = await page.evaluate(() => [...document.querySelectorAll("figure[data-picture]")].filter((f) => f.dataset.state !== "drawn" && !f.closest("[hidden]")).length);
    expect(undrawn === 0, `${undrawn} pictures aren't drawn on paper`);
    expect(!(await page.locator("#selection").isVisible()), "tools aren't printed");
    expect((await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(255, 255, 255)", "paper is white");
    await page.pdf({ path: join(screenshots ?? folder, "report.pdf"), format: "A4" });
    await page.context().close();
  },

  async "axe finds nothing serious"({ open, expect, axe }) {
    for (const [width, scheme] of [[1400, "light"], [1400, "dark"], [320, "light"]]) {
      const page = await open("centred.html", { width, scheme });
      await page.evaluate(() => document.querySelectorAll("figure[data-picture]").forEach((f) => f.draw()));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
      expect(serious.length === 0, serious.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 2).map((n) => n.target.join(" ")).join(", ")}`).join("; "));
      await page.context().close();
    }
  },

  async "a thousand parameters are small, quick and usable"({ open, expect, made, json }) {
    console.log(`  made in ${made.big_seconds.toFixed(2)} s, ${(made.big_bytes / 1e6).toFixed(1)} MB`);
    expect(made.big_bytes <= 15e6, `${made.big_bytes} bytes`);
    const page = await open("big.html");
    console.log(`  opened in ${page.opened_in.toFixed(2)} s`);
    expect(page.opened_in <= 6, `opened in ${page.opened_in} s`);  // 2 s on a machine that does nothing else
    const rows = await page.locator("table.quantities tbody tr[data-index]").count();
    expect(rows > 10 && rows < 60, `of 1001 rows ${rows} are elements`);
    await page.getByLabel("Search quantities").fill("theta[998");
    const summary = json("summary", "big.nc", "--columns", "theta[998]")[0];
    const cells = await page.locator("table.quantities tbody tr[data-index]").first().innerText();
    expect(cells.includes(summary.r_hat.toFixed(3)), `the last row is found: ${cells.replace(/\s+/g, " ")}`);
    await page.getByLabel("Search quantities").fill("");
    await page.getByLabel("select lp__", { exact: true }).focus();
    await page.keyboard.press("End");
    expect((await page.evaluate(() => document.activeElement.getAttribute("aria-label"))) === "select theta[998]", "End reaches the last of a thousand rows");
    await page.keyboard.down("Space");  // the table is filled anew between the press and the release
    await page.evaluate(() => new Promise((done) => {
      const view = document.querySelector(".table-view");
      view.scrollTop -= 40;
      requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
    }));
    await page.keyboard.up("Space");
    expect(await page.getByLabel("select theta[998]", { exact: true }).isChecked(), "the last of them is selected by its key");
    const trace = await panel(page, card("theta[998]", "trace"));
    expect(trace.marks.filter((m) => m.kind === "line").every((m) => m.pieces[0].length === 1000), "its trace is drawn");
    expect(page.faults.length === 0, page.faults.join("; "));
    await page.context().close();
  },
};
