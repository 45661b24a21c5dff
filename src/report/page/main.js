// The report's page: what stands where. Pictures are drawn when they come into view.
import { h } from "./dom.js";
import { report, quantities, draws, divergent_places, num_chains, block_of, text_of } from "./data.js";
import { selection, on_change, toggle, select_only, choose_chain, choose_place, step_divergence, words_of } from "./selection.js";
import { figure_of, panel_of, draw_all, nearest, svg_element, shown } from "./picture.js";
import * as pictures from "./quantity_pictures.js";
import { quantity_table } from "./table.js";
import { key_figures, fact_sections } from "./facts.js";
import { place_of } from "./data.js";

const main = document.getElementById("main");
const contents = document.getElementById("contents");

// Short titles for the table of contents, which must fit a line of 1,280 pixels.
const short_titles = { prior: "Prior", "run-pictures": "Energy", predictive: "Checks", again: "Repeat" };

function section(title, id, ...children) {
  const element = h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);
  main.append(element);
  contents.append(h("a", { href: `#${id}`, title: short_titles[id] ? title : null }, short_titles[id] ?? title));
  return element;
}
const words = (text) => h("p", { class: "words" }, text);

// ---- the bar that says what is selected

function selection_bar() {
  const bar = document.getElementById("selection");
  const chips = h("div", { class: "chips", role: "group", "aria-label": "Selected quantities" });
  const chains = h("div", { class: "chains", role: "group", "aria-label": "Chain" });
  const chain_button = (chain, label) => h("button", { type: "button", "aria-pressed": "false", "data-role": chain === null ? null : "chain", "data-chain": chain, "data-colour": chain === null ? null : chain % 8, onclick: () => choose_chain(selection.chain === chain ? null : chain) }, label);
  chains.append(h("span", { class: "label" }, "Chain"), chain_button(null, "all"), ...Array.from({ length: Math.min(num_chains, 16) }, (_, c) => chain_button(c, String(c + 1))));
  const place = h("div", { class: "place", role: "group", "aria-label": "Draw" });
  bar.append(chips, chains, place);
  const show = () => {
    chips.replaceChildren(h("span", { class: "label" }, "Selected"), ...selection.quantities.map((k) => h("button", { type: "button", class: "chip", "aria-label": `take ${quantities[k].name} away`, onclick: () => toggle(k) }, quantities[k].name, h("span", { "aria-hidden": "true" }, " \u00d7"))));
    for (const button of chains.querySelectorAll("button")) button.setAttribute("aria-pressed", String((button.dataset.chain === undefined ? null : Number(button.dataset.chain)) === selection.chain));
    place.replaceChildren(...place_tools());
  };
  on_change(show);
  show();
}

function place_tools() {
  const tools = [];
  if (divergent_places.length > 0)
    tools.push(h("span", { class: "label" }, `${divergent_places.length} divergent`),
      h("button", { type: "button", "aria-label": "previous divergent transition", onclick: () => step_divergence(-1) }, "\u2039"),
      h("button", { type: "button", "aria-label": "next divergent transition", onclick: () => step_divergence(1) }, "\u203a"));
  if (selection.place !== null) {
    const values = selection.quantities.slice(0, 4).map((k) => `${quantities[k].name} ${shown(block_of(k).values[selection.place])}`).join(", ");
    tools.push(h("span", { class: "at", "data-place": selection.place }, `${words_of(selection.place)}: ${values}`), h("button", { type: "button", "aria-label": "select no draw", onclick: () => choose_place(null) }, "\u00d7"));
  }
  return tools;
}

// ---- the selected draw, in traces and pairs

function mark_place(figure) {
  for (const svg of figure.querySelectorAll("svg.panel")) {
    svg.querySelector("g.cursor")?.remove();
    const { panel } = svg, { place } = selection;
    if (place === null || (!panel.draw_axis && panel.up === undefined)) continue;
    const x = svg.scale("x"), y = svg.scale("y");
    const group = svg_element("g", { class: "cursor", "data-place": place });
    const at = panel.draw_axis ? [draws.draw[place] + 1, block_of(panel.index).values[place]] : [block_of(panel.across).values[place], block_of(panel.up).values[place]];
    if (panel.draw_axis) group.append(svg_element("path", { d: `M${x.apply(at[0]).toFixed(1)} 8V${svg.viewBox.baseVal.height - 22}` }));
    group.append(svg_element("circle", { cx: x.apply(at[0]), cy: y.apply(at[1]), r: 5 }));
    svg.append(group);
  }
}

function choose_by_pointer(figure) {
  for (const svg of figure.querySelectorAll("svg.panel")) {
    if (svg.dataset.chooses) continue;
    svg.dataset.chooses = "yes";
    svg.addEventListener("click", (event) => {
      const found = nearest(svg, event);
      if (!found) return;
      if (found.mark.places) choose_place(found.mark.places[found.k]);
      else if (found.mark.chain !== undefined && svg.panel.draw_axis) choose_place(draws.starts[found.mark.chain] + found.k);
    });
  }
  mark_place(figure);
}

// ---- selected quantities

const kinds = [
  { kind: "density", title: "Density", panel: pictures.density_panel },
  { kind: "trace", title: "Trace", panel: pictures.trace_panel },
  { kind: "ranks", title: "Ranks", panel: pictures.rank_panel },
  { kind: "autocorrelation", title: "Autocorrelation", panel: pictures.lag_panel },
];

function card(index) {
  const { name } = quantities[index];
  const element = h("article", { class: "card", "data-index": index, "aria-label": name },
    h("header", {}, h("h3", {}, name), h("p", {}, `${text_of("mean", index)} ± ${text_of("sd", index)}, 90 % from ${text_of("q5", index)} to ${text_of("q95", index)}`.replaceAll("-", "\u2212"))));
  const grid = h("div", { class: "card-grid" });
  for (const { kind, title, panel } of kinds)
    grid.append(figure_of(kind, () => ({ kind, title, panels: [{ ...panel(index), title: "" }], height: 150 }), { level: 4, after: choose_by_pointer }));
  element.append(grid);
  return element;
}

// Keeps the cards that stay.
function renew_cards(list) {
  const before = new Map([...list.children].map((c) => [Number(c.dataset.index), c]));
  list.replaceChildren(...selection.quantities.map((k) => before.get(k) ?? card(k)));
  if (selection.quantities.length === 0) list.append(words("Nothing is selected: choose quantities in the table."));
}

function selected_section() {
  const list = h("div", { class: "cards" });
  section("Chains", "chains", words("Of each selected quantity: its density, the course of the chains, the ranks of each chain's draws among all, and how long draws stay alike. Chains that have found the same distribution agree in all four. Colours are those of the chains in the bar above."), list);
  renew_cards(list);
  return list;
}

// ---- pairs, prior, forest

function pairs_section() {
  const chosen = () => selection.quantities.slice(0, innerWidth < 420 ? 2 : innerWidth < 700 ? 3 : 5);
  const figure = figure_of("pairs", () => pictures.pairs_picture(chosen()), { after: choose_by_pointer });
  const box = section("Pairs", "pairs", words("Selected quantities against each other: the first five, on narrow screens the first two or three. Each point is a draw; divergent transitions are marked. A point that is chosen is shown in all pictures that have it."), figure);
  return { figure, box, enough: () => chosen().length > 1 };
}

function prior_section() {
  if (!report.num_prior_draws) return null;
  const figure = figure_of("prior", () => ({ kind: "prior", panels: selection.quantities.map(pictures.prior_panel).filter(Boolean), columns: 4, height: 150 }));
  section("Prior and posterior", "prior", words(`Densities of ${report.num_prior_draws} draws from the prior, within its central 98 % and as far as twice the posterior's range beyond it, and of the posterior. What the data say is how the second differs from the first.`), figure);
  return figure;
}

const variable_of = (name) => name.split("[")[0];

// Arrays, and all single quantities together, each with the groups that have their own panel.
function forest_section() {
  const choices = report.groups;
  if (choices.length === 0) return;
  const most_rows = 60;
  const size_of = (choice) => choice.forest.reduce((sum, p) => sum + p.quantities.length, 0);
  const label_of = (choice) => (choice.name ? `${choice.name}, ${size_of(choice)} elements` : "single quantities");
  const select = h("select", { "aria-label": "Which quantities" }, ...choices.map((choice, k) => h("option", { value: k }, label_of(choice))));
  const form = h("select", { "aria-label": "How they are drawn" }, h("option", { value: "forest" }, "below each other"), h("option", { value: "path" }, "along their index"));
  const from = h("input", { type: "number", min: 1, value: 1, step: most_rows, "aria-label": "From element" });
  const now = () => choices[Number(select.value)];
  const usual_form = () => (now().name && size_of(now()) > most_rows ? "path" : "forest");
  const place = h("div");
  const show = () => {
    const size = size_of(now()), is_path = form.value === "path";
    form.hidden = !now().name;
    from.hidden = is_path || size <= most_rows;
    from.max = Math.max(1, size);
    const first = Math.max(0, Math.min(Number(from.value) - 1, size - 1));
    place.replaceChildren(figure_of(is_path ? "path" : "forest", () => (is_path ? pictures.path_picture(now().path) : pictures.forest_picture(rows_from(now().forest, first, most_rows)))));
  };
  select.addEventListener("change", () => ((form.value = usual_form()), (from.value = 1), show()));
  form.addEventListener("change", show);
  from.addEventListener("change", show);
  section("Intervals", "intervals", words("Medians with their central 50 % and 90 % intervals. Elements stand in the order of their names; columns of matrices, and quantities of another scale, have an axis of their own."), h("div", { class: "tools" }, select, form, from), place);
  form.value = usual_form();
  show();
}

// `count` rows of all panels, from row `first` on.
function rows_from(panels, first, count) {
  let before = 0;
  const part = panels.map((panel) => {
    const from = Math.max(0, first - before), to = Math.max(0, first + count - before);
    before += panel.quantities.length;
    return { ...panel, quantities: panel.quantities.slice(from, to) };
  });
  return part.filter((panel) => panel.quantities.length > 0);
}

// ---- pictures of the whole run

const groups = [
  ["Energy, stages, bound", "run-pictures", ["energy", "ladder", "bound"]],
  ["Predictive checks", "predictive", ["bars", "overlay", "predictive", "groups", "statistics", "intervals", "calibration", "loo_pit"]],
  ["Leave-one-out", "loo", ["loo", "scores"]],
  ["Predictions", "score", ["reliability", "row_scores"]],
  ["Comparison", "comparison", ["compare"]],
];

function whole_run_sections() {
  const grouped = new Set(groups.flatMap(([, , wanted]) => wanted));
  const others = report.pictures.map((p) => p.kind).filter((kind) => !grouped.has(kind));
  for (const [title, id, wanted] of [...groups, ["More pictures", "more-pictures", others]]) {
    const found = wanted.map((kind) => report.pictures.find((p) => p.kind === kind)).filter(Boolean);
    if (found.length === 0) continue;
    const grid = h("div", { class: "figures" }, ...found.map((json) => figure_of(json.kind, () => ({ ...json, panels: json.panels.map(panel_of) }))));
    section(title, id, grid);
  }
}

// ---- all of it

// Keeps the sticky bars below each other, since the contents may take several lines.
function keep_below() {
  const style = document.documentElement.style;
  new ResizeObserver(() => {
    style.setProperty("--contents", `${contents.offsetHeight}px`);
    style.setProperty("--selection", `${document.getElementById("selection").offsetHeight}px`);
  }).observe(contents);
}

function begin() {
  keep_below();
  key_figures();
  selection_bar();
  if (document.getElementById("questions")) contents.append(h("a", { href: "#questions" }, "Questions"));
  section("Quantities", "quantities", quantity_table());
  const cards = selected_section();
  const pairs = pairs_section();
  const prior = prior_section();
  forest_section();
  whole_run_sections();
  for (const [title, id, children] of fact_sections()) section(title, id, ...children.filter(Boolean));
  let before = selection.quantities;
  on_change(() => {
    if (before !== selection.quantities) {
      before = selection.quantities;
      renew_cards(cards);
      pairs.figure.renew();
      prior?.renew();
    }
    pairs.box.hidden = !pairs.enough();
    document.querySelectorAll("figure[data-state=drawn]").forEach(mark_place);
  });
  pairs.box.hidden = !pairs.enough();
  document.querySelectorAll("button[data-parameter]").forEach((button) => {
    const index = place_of.get(button.dataset.parameter) ?? quantities.find((q) => variable_of(q.name) === button.dataset.parameter)?.index;
    if (index === undefined) return button.replaceWith(button.textContent);
    button.addEventListener("click", () => { select_only(index); document.getElementById("chains").scrollIntoView(); });
  });
  addEventListener("beforeprint", draw_all);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") { choose_place(null); choose_chain(null); }
  });
}

begin();
