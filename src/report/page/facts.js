// Settings, chains, data, program, and how to make the run again.
import { h } from "./dom.js";
import { report, number, quantities, figure } from "./data.js";
import { shown, paddings } from "./picture.js";

const whole = (v) => Number(v).toLocaleString("en");

function extreme(name, better) {
  let best = null;
  for (const q of quantities) {
    const v = figure(name, q.index);
    if (Number.isFinite(v) && (best === null || better(v, figure(name, best)))) best = q.index;
  }
  return best;
}

export function key_figures() {
  const list = document.getElementById("key-figures");
  const add = (name, value, of) => list.append(h("div", {}, h("dt", {}, name), h("dd", {}, value, of ? h("small", {}, of) : null)));
  add("Draws", whole(report.num_chains * report.num_draws), `${report.num_chains} chains of ${whole(report.num_draws)}`);
  const worst = extreme("r_hat", (a, b) => a > b), least = extreme("ess_bulk", (a, b) => a < b), tail = extreme("ess_tail", (a, b) => a < b);
  if (worst !== null) add("Largest R\u0302", figure("r_hat", worst).toFixed(3), quantities[worst].name);
  if (least !== null) add("Fewest effective draws", whole(Math.round(figure("ess_bulk", least))), quantities[least].name);
  if (tail !== null) add("In the tails", whole(Math.round(figure("ess_tail", tail))), quantities[tail].name);
  if (report.chains.some((c) => number(c.num_divergent) > 0) || report.divergent.length > 0 || /nuts|hmc/.test(report.sampler))
    add("Divergent transitions", whole(report.divergent.length), report.divergent.length ? "marked in traces and pairs" : null);
  add("Algorithm", report.sampler || "\u2013", report.seed ? `seed ${report.seed}` : null);
}

const scroller = (...children) => h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Table" }, ...children);

function chains_table() {
  const columns = [["step_size", "Step size"], ["num_divergent", "Divergent"], ["num_max_depth", "At the deepest tree"], ["num_evaluations", "Evaluations"], ["warmup_seconds", "Warm-up, s"], ["sampling_seconds", "Draws, s"]]
    .filter(([name]) => name === "num_divergent" || report.chains.some((chain) => number(chain[name]) !== 0));
  const cells = columns.map(([name]) => report.chains.map((chain) => (name.startsWith("num_") ? whole : shown)(number(chain[name]))));
  const pads = cells.map((texts) => paddings(texts));
  const rows = report.chains.map((_, c) => h("tr", {}, h("th", { scope: "row" }, String(c + 1)), ...cells.map((texts, k) => h("td", { "data-pad": pads[k][c] }, texts[c]))));
  return scroller(h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Chain"), ...columns.map(([, title]) => h("th", { scope: "col" }, title)))), h("tbody", {}, ...rows)));
}

function pairs_list(entries) {
  return h("dl", { class: "settings" }, ...entries.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function copied(command) {
  const button = h("button", { type: "button", class: "quiet", onclick: async () => {
    const done = await navigator.clipboard?.writeText(command).then(() => true, () => false);
    button.textContent = done ? "copied" : "select it";
    setTimeout(() => (button.textContent = "copy"), 1500);
  } }, "copy");
  return h("div", { class: "command" }, h("code", { tabindex: 0, role: "region", "aria-label": "Command" }, command), button);
}

function program_lines() {
  const marked = new Map(report.verdict.findings.filter((f) => f.statement && f.statement.file === report.program.path).map((f) => [f.statement.line, f.id]));
  const list = h("ol", { class: "program" });
  report.program.text.replace(/\n$/, "").split("\n").forEach((line, k) => list.append(h("li", { class: marked.has(k + 1) ? "marked" : null, title: marked.get(k + 1) ?? null }, h("code", {}, line || " "))));
  return h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Program" }, list);
}

function data_part() {
  const rows = report.data.variables.map((v) => h("tr", {}, h("th", { scope: "row" }, v.name), h("td", {}, v.shape || "\u2013"), h("td", {}, v.whole ? "whole" : "real"), h("td", {}, v.observed ? "observed" : "given")));
  return [
    rows.length ? scroller(h("table", { class: "plain words" }, h("thead", {}, h("tr", {}, ...["Variable", "Shape", "Numbers", "Role"].map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, ...rows))) : h("p", {}, "The program has no data, or the result doesn't say which."),
    report.data.hash ? pairs_list([["File", report.data.path || "none"], ["Hash", report.data.hash]]) : null,
  ];
}

// [heading, id, children]
export function fact_sections() {
  const sections = [];
  sections.push(["Settings", "settings", [
    pairs_list([["Result", report.source], ["Algorithm", report.sampler], ...Object.entries(report.settings)].filter(([, v]) => v !== "")),
    report.chains.length ? chains_table() : null,
    ...report.notes.map((note) => h("p", { class: "note" }, note)),
  ]]);
  sections.push(["Data", "data", data_part()]);
  if (report.program.text) sections.push(["Program", "program", [h("p", {}, report.program.path), program_lines()]]);
  sections.push(["Make it again", "again", [
    ...report.again.commands.map(copied),
    pairs_list([["Version", report.again.version], ["Arithmetic", report.again.arithmetic], ["Went on with", report.again.resumed_with]].filter(([, v]) => v)),
    report.again.spec ? h("details", {}, h("summary", {}, "Run specification"), h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Run specification" }, h("pre", {}, JSON.stringify(JSON.parse(report.again.spec), null, 1)))) : null,
  ]]);
  if (report.refusals.length)
    sections.push(["Not shown", "not-shown", [h("ul", { class: "refusals" }, ...report.refusals.map((r) => h("li", {}, h("b", {}, r.summary), `: ${r.reason}`)))]]);
  return sections;
}
