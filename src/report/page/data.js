// What the report holds: facts as JSON, and a block of bytes for each quantity (src/report/packed.hpp says what is in it).

const text = document.getElementById("report-json").textContent;
export const report = JSON.parse(text);

// NaN and infinities are strings in JSON.
const special = { NaN: NaN, Inf: Infinity, "-Inf": -Infinity };
export const number = (v) => (typeof v === "string" ? special[v] : v);
export const numbers = (list) => list.map(number);

const q = report.quantities;
for (const name of ["mean", "sd", "mcse_mean", "q5", "q25", "q50", "q75", "q95", "ess_bulk", "ess_tail", "r_hat"])
  q[name] = numbers(q[name]);

export const quantities = q.name.map((name, index) => ({ index, name, block: q.block[index], whole: q.whole[index] }));
export const place_of = new Map(q.name.map((name, index) => [name, index]));
export const figure = (name, index) => q[name][index];
export const text_of = (name, index) => q[name + "_text"][index];

export const num_chains = report.num_chains;
export const num_draws = report.num_draws;
const packed = report.packed;
const kept = packed.kept.map((chain) => chain ?? Array.from({ length: num_draws }, (_, s) => s));
const starts = kept.map((_, c) => kept.slice(0, c).reduce((sum, chain) => sum + chain.length, 0));
const num_kept = kept.reduce((sum, chain) => sum + chain.length, 0);

// Kept draws, one chain after another: the chain and the draw of each, and whether it diverged.
export const draws = { chain: new Uint16Array(num_kept), draw: new Int32Array(num_kept), divergent: new Uint8Array(num_kept), starts, kept };
const diverged = new Set(report.divergent);
kept.forEach((chain, c) =>
  chain.forEach((s, k) => {
    draws.chain[starts[c] + k] = c;
    draws.draw[starts[c] + k] = s;
    draws.divergent[starts[c] + k] = diverged.has(c * num_draws + s) ? 1 : 0;
  }),
);
export const divergent_places = Array.from(draws.divergent.keys()).filter((i) => draws.divergent[i]);

const nothing = 65535, largest = 65534;
// The draws are the last thing in the file: the page is there, and can be read, before they are.
export function when_read(then) {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", then, { once: true });
  else then();
}
let all_text = null;
const text_of_draws = () => (all_text ??= document.getElementById("report-draws").firstChild?.data ?? "");
const decoded = new Map();  // the last ones

function bytes_of(index) {
  const letters = (packed.num_bytes / 3) * 4;
  const binary = atob(text_of_draws().slice(index * letters, (index + 1) * letters));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function marginal_of(words, head, count) {
  const [low, step, top] = head;
  const chains = [];
  for (let c = 0; c < count; ++c)
    chains.push(Array.from(words.subarray(c * packed.num_places, (c + 1) * packed.num_places), (v) => (v === nothing ? NaN : (v / largest) * top)));
  const size = chains[0].findIndex(Number.isNaN);
  const places = size < 0 ? packed.num_places : size;
  const x = Array.from({ length: places }, (_, k) => low + step * k);
  return { step, x, all: chains[0].slice(0, places), chains: chains.slice(1).map((chain) => chain.slice(0, places)) };
}

function decode(index) {
  const bytes = bytes_of(index);
  const view = new DataView(bytes.buffer);
  const head = Array.from({ length: 8 }, (_, k) => view.getFloat64(8 * k, true));
  const words = new Uint16Array(Math.floor((bytes.length - 64) / 2));
  for (let k = 0; k < words.length; ++k) words[k] = view.getUint16(64 + 2 * k, true);
  let at = 0;
  const take = (count) => words.subarray(at, (at += count));
  const scale = (head[1] - head[0]) / largest;
  const values = Float64Array.from(take(num_kept), (v) => (v === nothing ? NaN : head[0] + v * scale));
  const marginal = marginal_of(take((num_chains + 1) * packed.num_places), head.slice(2, 5), num_chains + 1);
  const lags = Array.from({ length: num_chains + 1 }, () =>
    Array.from(take(packed.num_lags), (v) => (v === nothing ? NaN : (2 * v) / largest - 1)));
  const ranks = Array.from({ length: num_chains }, () =>
    Array.from(take(packed.num_bins), (v) => (v === nothing ? NaN : v * packed.rank_unit)));
  const prior = marginal_of(take(packed.num_places), head.slice(5, 8), 1);
  return { low: head[0], high: head[1], values, marginal, lags, ranks, prior };
}

export function block_of(index) {
  let block = decoded.get(index);
  if (!block) {
    block = decode(index);
    decoded.set(index, block);
    if (decoded.size > 64) decoded.delete(decoded.keys().next().value);
  }
  return block;
}
