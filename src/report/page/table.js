// The table of quantities: searched, sorted, selected from. Of thousands of rows only those in view are elements.
import { h } from "./dom.js";
import { quantities, figure, text_of } from "./data.js";
import { is_selected, toggle, on_change } from "./selection.js";
import { shown, paddings } from "./picture.js";

const row_height = 32, more = 8;
const whole = (v) => (Number.isFinite(v) ? Math.round(v).toLocaleString("en") : "\u2013");
const fixed = (v) => (Number.isFinite(v) ? v.toFixed(3) : "\u2013");
const minus = (text) => (text === "-" ? "\u2013" : text.replace("-", "\u2212"));
const in_digits = ["mean", "sd", "q5", "q50", "q95"];  // with as many digits as errors support
const pads = Object.fromEntries(in_digits.map((id) => [id, paddings(quantities.map((q) => text_of(id, q.index)))]));
const columns = [
  { id: "name", title: "Quantity" },
  { id: "sketch", title: "90 % and 50 %", unsorted: true },
  { id: "mean", title: "Mean", cell: (k) => minus(text_of("mean", k)) },
  { id: "sd", title: "SD", cell: (k) => text_of("sd", k), long: "Standard deviation" },
  { id: "q5", title: "5 %", cell: (k) => minus(text_of("q5", k)) },
  { id: "q50", title: "50 %", cell: (k) => minus(text_of("q50", k)) },
  { id: "q95", title: "95 %", cell: (k) => minus(text_of("q95", k)) },
  { id: "ess_bulk", title: "ESS bulk", cell: (k) => whole(figure("ess_bulk", k)), long: "Effective draws, bulk", low: 400 },
  { id: "ess_tail", title: "ESS tail", cell: (k) => whole(figure("ess_tail", k)), long: "Effective draws, tails", low: 400 },
  { id: "r_hat", title: "R\u0302", cell: (k) => fixed(figure("r_hat", k)), long: "R-hat", high: 1.01 },
];

const state = { sort: null, down: false, search: "", block: "all" };
let shown_rows = [];

// The interval on the scale of its neighbours in an array, so that elements are compared.
const scales = new Map();
const variable_of = (name) => name.split("[")[0];
function scale_of(index) {
  const variable = variable_of(quantities[index].name);
  if (!scales.has(variable)) {
    const own = quantities.filter((q) => variable_of(q.name) === variable).map((q) => q.index);
    const low = Math.min(...own.map((k) => figure("q5", k)).filter(Number.isFinite));
    const high = Math.max(...own.map((k) => figure("q95", k)).filter(Number.isFinite));
    scales.set(variable, [low, high]);
  }
  return scales.get(variable);
}

function sketch(index) {
  const [low, high] = scale_of(index);
  const wide = 96;
  const x = (v) => (high > low ? 3 + ((v - low) / (high - low)) * (wide - 6) : wide / 2).toFixed(1);
  const at = (name) => x(figure(name, index));
  const zero = low < 0 && high > 0 ? `<path class="zero" d="M${x(0)} 2V18"/>` : "";
  const inside = Number.isFinite(figure("q50", index))
    ? `${zero}<path class="wide" d="M${at("q5")} 10H${at("q95")}"/><path class="narrow" d="M${at("q25")} 10H${at("q75")}"/><path class="median" d="M${at("q50")} 10h0"/>` : "";
  const cell = h("td", { class: "sketch" });
  cell.innerHTML = `<svg width="${wide}" height="20" viewBox="0 0 ${wide} 20" aria-hidden="true">${inside}</svg>`;
  return cell;
}

function row_element(index) {
  const { name } = quantities[index];
  const box = h("input", { type: "checkbox", "aria-label": `select ${name}`, "data-index": index });
  const row = h("tr", { "data-index": index }, h("th", { scope: "row" }, h("label", {}, box, h("span", {}, name))));
  for (const column of columns.slice(1)) {
    if (column.id === "sketch") { row.append(sketch(index)); continue; }
    const value = figure(column.id, index);
    const doubtful = value < column.low || value > column.high;
    row.append(h("td", { class: doubtful ? "doubtful" : null, "data-pad": pads[column.id]?.[index] }, column.cell(index), doubtful ? h("span", { class: "visually-hidden" }, " (doubtful)") : null));
  }
  return row;
}

function renew_row(row, index, place) {
  const box = row.querySelector("input");
  box.checked = is_selected(index);
  box.tabIndex = place === focused ? 0 : -1;
  row.classList.toggle("selected", box.checked);
  row.setAttribute("aria-rowindex", place + 2);
  return row;
}

let focused = 0;  // among the rows that are shown
let view, body, count, table;

function compare(a, b) {
  if (state.sort === "name") return a.name.localeCompare(b.name, "en", { numeric: true });
  const x = figure(state.sort, a.index), y = figure(state.sort, b.index);
  return Number.isNaN(x) ? 1 : Number.isNaN(y) ? -1 : x - y;
}

function choose_rows() {
  const wanted = state.search.trim().toLowerCase();
  const chosen = quantities.filter((q) =>
    (state.block === "all" || (state.block === "selected" ? is_selected(q.index) : q.block === state.block)) && q.name.toLowerCase().includes(wanted));
  if (state.sort) chosen.sort((a, b) => (state.down ? compare(b, a) : compare(a, b)));
  shown_rows = chosen.map((q) => q.index);
  focused = Math.min(focused, Math.max(0, shown_rows.length - 1));
  count.textContent = shown_rows.length === quantities.length ? `${quantities.length} quantities` : `${shown_rows.length} of ${quantities.length} quantities`;
  table.setAttribute("aria-rowcount", shown_rows.length + 1);
}

const spacer = (rows) => h("tr", { class: "spacer", "aria-hidden": "true", style: `height:${rows * row_height}px` });

// Rows that stay keep their element, and so the focus: an element that is replaced between a key's press and its release loses the key.
function replace_rows(rows) {
  const staying = new Set(rows);
  for (const row of [...body.children]) if (!staying.has(row)) row.remove();
  rows.forEach((row, place) => body.children[place] !== row && body.insertBefore(row, body.children[place] ?? null));
}

function fill(everything = false) {
  const first = everything ? 0 : Math.max(0, Math.floor(view.scrollTop / row_height) - more);
  const end = Math.min(shown_rows.length, everything ? 500 : first + Math.ceil(view.clientHeight / row_height) + 2 * more);
  const before = new Map([...body.querySelectorAll("tr[data-index]")].map((row) => [Number(row.dataset.index), row]));
  const rows = [];
  if (first > 0) rows.push(spacer(first));
  for (let k = first; k < end; ++k) rows.push(renew_row(before.get(shown_rows[k]) ?? row_element(shown_rows[k]), shown_rows[k], k));
  if (end < shown_rows.length && !everything) rows.push(spacer(shown_rows.length - end));
  const had_focus = body.contains(document.activeElement);
  replace_rows(rows);
  if (had_focus && !body.contains(document.activeElement)) body.querySelector("input[tabindex='0']")?.focus({ preventScroll: true });
  view.dataset.first = first;
}

function renew() {
  choose_rows();
  view.scrollTop = 0;
  focused = 0;
  fill();
}

function sort_by(column, head) {
  state.down = state.sort === column.id ? !state.down : column.id === "r_hat";
  state.sort = column.id;
  for (const other of head.querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.querySelector(`[data-column=${column.id}]`).setAttribute("aria-sort", state.down ? "descending" : "ascending");
  renew();
}

function move_focus(to) {
  focused = Math.max(0, Math.min(shown_rows.length - 1, to));
  const top = focused * row_height;
  if (top < view.scrollTop) view.scrollTop = top;
  if (top + 2 * row_height > view.scrollTop + view.clientHeight - row_height) view.scrollTop = top + 3 * row_height - view.clientHeight;
  fill();
  body.querySelector("input[tabindex='0']")?.focus({ preventScroll: true });
}

function on_key(event) {
  if (!(event.target instanceof HTMLInputElement)) return;
  const page = Math.max(1, Math.floor(view.clientHeight / row_height) - 2);
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  move_focus(focused + by);
}

function head_of() {
  const row = h("tr", { "aria-rowindex": 1 });
  const head = h("thead", {}, row);
  for (const column of columns) {
    const title = column.unsorted ? column.title
      : h("button", { type: "button", title: column.long ?? column.title, onclick: () => sort_by(column, head) }, column.title, column.long && column.id === "r_hat" ? h("span", { class: "visually-hidden" }, " (R-hat)") : null);
    row.append(h("th", { scope: "col", "data-column": column.id }, title));
  }
  return head;
}

export function quantity_table() {
  body = h("tbody");
  table = h("table", { class: "quantities" }, h("caption", { class: "visually-hidden" }, "Posterior figures of each quantity; choose some to see their pictures"), head_of(), body);
  view = h("div", { class: "table-view", tabindex: "-1" }, table);
  count = h("span", { class: "count", role: "status" });
  const search = h("input", { type: "search", placeholder: "Search, as theta[1", "aria-label": "Search quantities", oninput: (e) => { state.search = e.target.value; renew(); } });
  const blocks = [...new Set(quantities.map((q) => q.block))].filter(Boolean);
  const filter = h("select", { "aria-label": "Which quantities", onchange: (e) => { state.block = e.target.value; renew(); } },
    h("option", { value: "all" }, "all"), h("option", { value: "selected" }, "selected"), ...blocks.map((b) => h("option", { value: b }, b)));
  let asked = 0;
  view.addEventListener("scroll", () => { cancelAnimationFrame(asked); asked = requestAnimationFrame(() => fill()); });
  body.addEventListener("change", (event) => {
    const index = Number(event.target.dataset.index);
    focused = shown_rows.indexOf(index);
    toggle(index);
  });
  body.addEventListener("keydown", on_key);
  on_change(() => (state.block === "selected" ? (choose_rows(), fill()) : fill()));
  addEventListener("beforeprint", () => fill(true));
  addEventListener("afterprint", () => fill());
  choose_rows();
  requestAnimationFrame(() => fill());
  new ResizeObserver(() => fill()).observe(view);
  return h("div", {}, h("div", { class: "tools" }, search, filter, count), view);
}

export { shown };
