// Pictures of single quantities, made of the figures that the report has of each.
import { block_of, quantities, draws, figure, num_chains, num_draws, report } from "./data.js";
import { shown } from "./picture.js";

const range = (list, from = Infinity, to = -Infinity) => {
  for (const v of list) if (Number.isFinite(v)) (from = Math.min(from, v)), (to = Math.max(to, v));
  return from <= to ? [from, to] : [-1, 1];
};
const with_room = ([low, high], share = 0.03) => {
  const room = high > low ? share * (high - low) : Math.max(1, 0.1 * Math.abs(low));
  return [low - room, high + room];
};
const chain_label = (c) => `chain ${c + 1}`;
const zeros = (list) => list.map(() => 0);

function body(marginal, values, whole, role, label) {
  if (!whole) return { kind: "area", role, label, x: marginal.x, y: values, y2: zeros(values) };
  return { kind: "bars", role, label, x: marginal.x.map((v) => v - 0.4), x2: marginal.x.map((v) => v + 0.4), y: zeros(values), y2: values };
}

export function density_panel(index) {
  const { marginal } = block_of(index);
  const { whole } = quantities[index];
  if (marginal.x.length === 0) return empty_panel;
  const marks = [body(marginal, marginal.all, whole, "all", "all chains")];
  marginal.chains.forEach((y, c) => marks.push({ kind: whole ? "points" : "line", role: "chain", chain: c, label: chain_label(c), x: marginal.x, y }));
  const top = range(marginal.chains.flat().concat(marginal.all))[1];
  return {
    x: { label: "", range: with_room(range(marginal.x), whole ? 0.06 : 0.02) }, y: { label: "", range: [0, 1.04 * top], hidden: true }, marks,
    says: `median ${shown(figure("q50", index))}, 90 % from ${shown(figure("q5", index))} to ${shown(figure("q95", index))}`,
  };
}
const empty_panel = { x: { range: [0, 1], hidden: true }, y: { range: [0, 1], hidden: true }, marks: [] };

export function trace_panel(index) {
  const { values, low, high } = block_of(index);
  const marks = [];
  for (let c = 0; c < num_chains; ++c) {
    const first = draws.starts[c], kept = draws.kept[c];
    marks.push({ kind: "line", role: "chain", chain: c, label: chain_label(c), x: kept.map((s) => s + 1), y: Array.from(values.subarray(first, first + kept.length)) });
  }
  const places = Array.from(draws.divergent.keys()).filter((i) => draws.divergent[i]);
  if (places.length > 0) marks.push({ kind: "points", role: "divergent", label: "divergent transitions", x: places.map((i) => draws.draw[i] + 1), y: places.map((i) => values[i]), places });
  return {
    x: { label: "draw", range: [0, num_draws + 1] }, y: { label: "", range: with_room([low, high]) }, marks, draw_axis: true, index,
    says: `${num_chains} chains of ${num_draws} draws, R-hat ${shown(figure("r_hat", index))}`,
  };
}

export function rank_panel(index) {
  const { ranks } = block_of(index);
  if (ranks.length === 0 || Number.isNaN(ranks[0][0])) return empty_panel;
  const total = num_chains * num_draws, bins = ranks[0].length, width = total / bins;
  const expected = num_draws / bins;
  const marks = [{ kind: "rule_y", role: "reference", label: "if chains agree", y: [expected] }];
  ranks.forEach((counts, c) => {
    const x = [], y = [];
    counts.forEach((count, b) => (x.push(b * width, (b + 1) * width), y.push(count, count)));
    marks.push({ kind: "line", role: "chain", chain: c, label: chain_label(c), x, y });
  });
  const most = range(ranks.flat())[1];
  return {
    x: { label: "rank among all draws", range: [0, total] }, y: { label: "draws", range: [0, 1.06 * Math.max(most, expected)] }, marks,
    says: `from ${range(ranks.flat())[0]} to ${most} draws of a chain in each of ${bins} bins, ${shown(expected)} expected`,
  };
}

export function lag_panel(index) {
  const { lags } = block_of(index);
  const [all, ...chains] = lags;
  if (Number.isNaN(all[0])) return empty_panel;
  const x = all.map((_, k) => k);
  const marks = [{ kind: "rule_y", role: "reference", label: "none", y: [0] }, { kind: "spans", role: "all", label: "all chains", x, y: zeros(all), y2: all }];
  chains.forEach((y, c) => Number.isNaN(y[0]) || marks.push({ kind: "line", role: "chain", chain: c, label: chain_label(c), x, y }));
  const below = all.findIndex((v) => v < 0.1);
  return {
    x: { label: "lag", whole: true, range: [-0.6, all.length - 0.4] }, y: { label: "", range: [Math.min(-0.1, range(lags.flat())[0] - 0.03), 1.04] }, marks,
    says: below < 0 ? `above 0.1 at all of ${all.length - 1} lags` : `below 0.1 from lag ${below} on; ${shown(figure("ess_bulk", index))} effective draws`,
  };
}

export function prior_panel(index) {
  const { marginal } = block_of(index), prior = { ...block_of(index).prior };
  if (!report.num_prior_draws || prior.x.length === 0 || marginal.x.length === 0) return null;
  const { whole, name } = quantities[index];
  const [low, high] = range(marginal.x), wide = 2 * (high - low);  // a prior's tails may be far longer
  const inside = prior.x.map((v) => v >= low - wide && v <= high + wide);
  prior.all = prior.all.filter((_, k) => inside[k]);
  prior.x = prior.x.filter((_, k) => inside[k]);
  const marks = [body(prior, prior.all, whole, "prior", "prior"), body(marginal, marginal.all, whole, "posterior", "posterior")];
  return {
    title: name, x: { label: "", range: with_room(range(prior.x.concat(marginal.x)), 0.02) },
    y: { label: "", range: [0, 1.04 * range(prior.all.concat(marginal.all))[1]], hidden: true }, marks,
    says: `prior from ${shown(prior.x[0])} to ${shown(prior.x.at(-1))}, posterior from ${shown(marginal.x[0])} to ${shown(marginal.x.at(-1))}`,
  };
}

// ---- several quantities

function scatter_panel(across, up, shows_x, shows_y) {
  const a = block_of(across), b = block_of(up);
  const plain = [], divergent = [];
  const step = Math.max(1, Math.ceil(a.values.length / 4000));
  for (let i = 0; i < a.values.length; ++i) (draws.divergent[i] ? divergent.push(i) : i % step === 0 && plain.push(i));
  const points = (places, role, label, chain) => ({ kind: "points", role, label, chain, x: places.map((i) => a.values[i]), y: places.map((i) => b.values[i]), places });
  const marks = [];
  for (let c = 0; c < num_chains; ++c) marks.push(points(plain.filter((i) => draws.chain[i] === c), "chain", chain_label(c), c));
  if (divergent.length > 0) marks.push(points(divergent, "divergent", "divergent transitions"));
  return {
    x: { label: shows_x ? quantities[across].name : "", range: with_room([a.low, a.high]), hidden: !shows_x },
    y: { label: quantities[up].name, range: with_room([b.low, b.high]), hidden: !shows_y }, marks, across, up, aligned: true,
    says: `${quantities[up].name} against ${quantities[across].name}, ${divergent.length} divergent transitions`,
  };
}

export function pairs_picture(chosen) {
  const panels = [];
  chosen.forEach((up, row) =>
    chosen.forEach((across, column) => {
      if (column > row) panels.push(empty_panel);
      else if (column === row) panels.push({ ...density_panel(up), title: quantities[up].name, aligned: true, beside: column === 0 });
      else panels.push(scatter_panel(across, up, row === chosen.length - 1, column === 0));
    }),
  );
  return { kind: "pairs", panels, columns: chosen.length, matrix: true };
}

// Panels: {title, index, quantities, along} (src/report/arrangement.hpp).
function forest_panel({ title, quantities: indices }) {
  const rows = indices.map((k) => quantities[k].name);
  const y = indices.map((_, k) => k);
  const at = (name) => indices.map((k) => figure(name, k));
  const marks = [
    { kind: "intervals", role: "interval", label: "90 %", y, x: at("q5"), x2: at("q95") },
    { kind: "intervals", role: "inner", label: "50 %", y, x: at("q25"), x2: at("q75") },
    { kind: "points", role: "observed", label: "median", y, x: at("q50") },
  ];
  return { title, x: { label: "", range: with_room(range(at("q5").concat(at("q95")))) }, y: { label: "", range: [-0.6, rows.length - 0.4], rows }, marks,
    says: `medians and intervals of ${rows.length} quantities, also in the table` };
}

export const forest_picture = (panels) => ({ kind: "forest", panels: panels.map(forest_panel) });

function path_panel({ title, index, quantities: indices, along: x }) {
  const at = (name) => indices.map((k) => figure(name, k));
  const marks = [
    { kind: "area", role: "interval", label: "90 %", x, y: at("q95"), y2: at("q5") },
    { kind: "area", role: "posterior", label: "50 %", x, y: at("q75"), y2: at("q25") },
    { kind: "line", role: "observed", label: "median", x, y: at("q50") },
  ];
  return { title, x: { label: index, whole: true, range: with_room(range(x), 0.01) }, y: { label: "", range: with_room(range(at("q5").concat(at("q95")))) }, marks,
    says: `medians and intervals along ${x.length} elements, also in the table` };
}

export const path_picture = (panels) => ({ kind: "path", panels: panels.map(path_panel), height: panels.length > 2 ? 170 : 260 });
