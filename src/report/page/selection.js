// What is selected, the same in all parts of the page: quantities, a chain, a draw. Whoever shows it is told of changes.
import { quantities, place_of, divergent_places, report, figure, draws, num_chains, when_read } from "./data.js";

export const most_selected = 8;
const listeners = [];
export const selection = { quantities: first_choice(), chain: null, place: null };
let left = null;  // the quantity that the last change took away

// What findings name, then what looks worst, then the first parameters.
function first_choice() {
  const named = report.verdict.findings.flatMap((f) => f.parameters).map((name) => place_of.get(bracketed(name)));
  const is_parameter = (q) => q.block === "parameters" || (q.block === "" && q.name !== "lp__");
  const parameters = quantities.filter(is_parameter).map((q) => q.index);
  const worst = parameters.filter((k) => figure("r_hat", k) > 1.01).sort((a, b) => figure("r_hat", b) - figure("r_hat", a));
  const all = [...named, ...worst, ...parameters].filter((k) => k !== undefined);
  return [...new Set(all)].slice(0, 4);
}

export function bracketed(name) {
  const [variable, ...indices] = name.split(".");
  return indices.length > 0 && variable !== "" ? `${variable}[${indices.join(",")}]` : name;
}

export function on_change(listener) {
  listeners.push(listener);
}

function tell(words) {
  for (const listener of listeners) listener(selection, left);
  document.getElementById("says").textContent = words;
}

export const is_selected = (index) => selection.quantities.includes(index);

export function toggle(index) {
  const name = quantities[index].name;
  left = null;
  if (is_selected(index)) {
    selection.quantities = selection.quantities.filter((k) => k !== index);
    tell(`${name} is not selected any more`);
    return;
  }
  const before = selection.quantities;
  selection.quantities = [...before, index].slice(-most_selected);
  if (before.length === most_selected) left = before[0];
  tell(`${name} is selected${left === null ? "" : `, ${quantities[left].name} gave its place`}`);
}

export function select_only(index) {
  if (!is_selected(index)) toggle(index);
}

export function choose_chain(chain) {
  selection.chain = chain;
  if (chain === null) delete document.body.dataset.chain;
  else document.body.dataset.chain = chain;
  tell(chain === null ? "all chains are shown" : `chain ${chain + 1} is shown before the others`);
}

// One of the kept draws; null: none.
export function choose_place(place) {
  when_read(() => {
    selection.place = place;
    tell(place === null ? "no draw is selected" : words_of(place));
  });
}

export const words_of = (place) =>
  `${draws.divergent[place] ? "divergent transition" : "draw"} ${draws.draw[place] + 1} of chain ${draws.chain[place] + 1}`;

export function step_divergence(by) {
  if (divergent_places.length === 0) return;
  const at = divergent_places.indexOf(selection.place);
  const next = at < 0 ? (by > 0 ? 0 : divergent_places.length - 1) : (at + by + divergent_places.length) % divergent_places.length;
  choose_place(divergent_places[next]);
}

export { num_chains };
