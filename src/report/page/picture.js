// Draws pictures: panels of marks in their own units, the same that `credo plot` draws (src/report/picture.hpp). Axes and
// scales are Observable Plot's; each mark is a group with one path, which says what it is in data attributes.
import * as Plot from "@observablehq/plot";
import { number, numbers, when_read } from "./data.js";

const minus = (text) => text.replace("-", "\u2212");
const d3_like = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
export const shown = (v) => (Number.isFinite(v) ? minus(Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-4) ? v.toExponential(2) : d3_like.format(v)) : "\u2013");

// Padding that aligns the decimal points of a column: the digits that each number lacks. Numbers in powers of ten are
// aligned at the right. An attribute that the style shows as invisible digits, so that it isn't part of the text.
const in_powers = (text) => text.includes("e");
const places_of = (text) => (!in_powers(text) && text.includes(".") ? text.length - text.indexOf(".") : 0);
export function paddings(texts, most = 7) {
  const longest = Math.min(most, Math.max(0, ...texts.map(places_of)));
  return texts.map((text) => (in_powers(text) ? null : ("." + "0".repeat(Math.max(0, longest - 1))).slice(places_of(text), longest) || null));
}

// ---- paths

const p = (v) => v.toFixed(2);
const finite = Number.isFinite;

function line_path(m, x, y, ys = m.y) {
  let path = "", next = "M";
  for (let k = 0; k < m.x.length; ++k) {
    if (!finite(m.x[k]) || !finite(ys[k])) {
      next = "M";
      continue;
    }
    path += `${next}${p(x(m.x[k]))} ${p(y(ys[k]))}`;
    next = "L";
  }
  return path;
}

const paths = {
  line: (m, x, y) => line_path(m, x, y),
  area: (m, x, y) => {
    let path = line_path(m, x, y);
    for (let k = m.x.length - 1; k >= 0; --k) if (finite(m.y2[k]) && finite(m.x[k])) path += `L${p(x(m.x[k]))} ${p(y(m.y2[k]))}`;
    return path && path + "Z";
  },
  points: (m, x, y) => m.x.map((v, k) => (finite(v) && finite(m.y[k]) ? `M${p(x(v))} ${p(y(m.y[k]))}h0` : "")).join(""),
  bars: (m, x, y) => m.x.map((v, k) => `M${p(x(v))} ${p(y(m.y[k]))}V${p(y(m.y2[k]))}H${p(x(m.x2[k]))}V${p(y(m.y[k]))}Z`).join(""),
  intervals: (m, x, y) => m.y.map((v, k) => (finite(m.x[k]) ? `M${p(x(m.x[k]))} ${p(y(v))}H${p(x(m.x2[k]))}` : "")).join(""),
  spans: (m, x, y) => m.x.map((v, k) => (finite(m.y[k]) ? `M${p(x(v))} ${p(y(m.y[k]))}V${p(y(m.y2[k]))}` : "")).join(""),
  rule_x: (m, x, y, frame) => m.x.map((v) => `M${p(x(v))} ${p(frame.top)}V${p(frame.bottom)}`).join(""),
  rule_y: (m, x, y, frame) => m.y.map((v) => `M${p(frame.left)} ${p(y(v))}H${p(frame.right)}`).join(""),
};

export function svg_element(name, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// There are eight colours; later chains repeat them with dashes.
export function mark_chain(dataset, chain) {
  dataset.chain = chain;
  dataset.colour = chain % 8;
  if (chain >= 8) dataset.round = Math.floor(chain / 8);
}

function mark_of(m) {
  return (_, scales, __, dimensions) => {
    const frame = {
      left: dimensions.marginLeft, right: dimensions.width - dimensions.marginRight,
      top: dimensions.marginTop, bottom: dimensions.height - dimensions.marginBottom,
    };
    const group = svg_element("g", { "data-kind": m.kind, "data-role": m.role, "data-label": m.label });
    if (m.chain !== undefined) mark_chain(group.dataset, m.chain);
    if ((m.x ?? m.y).length > 300) group.setAttribute("data-many", "");
    group.append(svg_element("path", { d: paths[m.kind](m, scales.x, scales.y, frame) }));
    return group;
  };
}

// ---- panels

// Of JSON, where NaN is a string.
export function panel_of(json) {
  const marks = json.marks.map((m) => ({ ...m, ...Object.fromEntries(["x", "y", "x2", "y2"].filter((k) => m[k]).map((k) => [k, numbers(m[k])])) }));
  return { ...json, marks, x: { ...json.x, range: numbers(json.x.range) }, y: { ...json.y, range: numbers(json.y.range) } };
}

const cut = (name, most) => (name.length > most ? name.slice(0, most - 1) + "\u2026" : name);
const letter = 6.4;

function row_axis(axis, width) {
  const most = Math.max(6, Math.floor((0.34 * width) / letter));
  const widest = Math.max(...axis.rows.map((row) => Math.min(row.length, most)));
  return { most, margin: 12 + widest * letter };
}

// Vertical label at the middle of the axis, shortened if it is longer than the axis.
const y_label = (label) => (_, __, ___, dimensions) => {
  const top = dimensions.marginTop, bottom = dimensions.height - dimensions.marginBottom;
  const text = svg_element("text", { transform: `translate(11 ${((top + bottom) / 2).toFixed(1)}) rotate(-90)`, "text-anchor": "middle", fill: "currentColor", class: "y-label" });
  text.textContent = cut(label, Math.max(6, Math.floor((bottom - top) / letter)));
  return text;
};

// Whole numbers only, where the axis counts something.
function ticks_of(axis, count) {
  return axis.whole ? Math.max(1, Math.min(count, Math.floor(axis.range[1] - axis.range[0]))) : count;
}

export function draw_panel(panel, width, height) {
  const { x, y } = panel;
  const rows = y.rows && row_axis(y, width);
  const tall = rows ? Math.max(90, 44 + y.rows.length * 20) : height;
  const is_small = width < 170;
  const has_label = Boolean(y.label) && !y.hidden && !rows;
  const beside = has_label || panel.beside ? 16 : 0;  // pixels for the label of y
  const across = ticks_of(x, is_small ? (width < 120 ? 1 : 2) : Math.max(2, Math.round(width / 85)));
  const options = {
    width, height: tall, marginTop: 8, marginRight: is_small ? 8 : 18,
    marginLeft: rows ? rows.margin : y.hidden && !panel.aligned ? 14 : (is_small ? 30 : 46) + beside,
    marginBottom: x.hidden ? 8 : x.label ? 34 : 22,
    x: { domain: x.range, label: null, axis: null }, y: { domain: rows ? [y.range[1], y.range[0]] : y.range, label: null, axis: null },
    style: { background: "none", fontSize: "11px", overflow: "hidden" },
    marks: [
      x.hidden ? null : Plot.gridX({ ticks: across }),
      x.hidden ? null : Plot.axisX({ ticks: across, label: x.label || null, labelAnchor: "center", labelArrow: "none", tickSize: 0 }),
      rows ? Plot.gridY({ ticks: y.rows.map((_, k) => k) }) : y.hidden ? null : Plot.gridY({ ticks: ticks_of(y, Math.round(tall / 45)) }),
      rows ? Plot.axisY(y.rows.map((_, k) => k), { tickFormat: (k) => cut(y.rows[k], rows.most), label: null, tickSize: 0 })
        : y.hidden ? null : Plot.axisY({ ticks: ticks_of(y, Math.round(tall / 45)), label: null, tickSize: 0 }),
      has_label ? y_label(y.label) : null,
      ...panel.marks.map(mark_of),
    ],
  };
  const svg = Plot.plot(options);
  svg.removeAttribute("class");
  svg.classList.add("panel");
  svg.panel = panel;
  svg.addEventListener("pointermove", (event) => read_out(event, svg));
  svg.addEventListener("pointerleave", hide_reading);
  return svg;
}

// ---- what the pointer is on

let reading = null;

function hide_reading() {
  reading?.remove();
  reading = null;
}

export function nearest(svg, event) {
  const box = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / box.width || 1;
  const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  const x = svg.scale("x"), y = svg.scale("y");
  let best = null;
  for (const m of svg.panel.marks) {
    if (m.role === "reference" || m.role === "replicate" && m.kind === "line") continue;
    const by_rows = m.kind === "intervals";
    for (let k = 0; k < (m.x ?? m.y).length; ++k) {
      const px = m.kind === "rule_y" ? at[0] : x.apply(m.kind === "bars" || by_rows ? (m.x[k] + m.x2[k]) / 2 : m.x[k]);
      const py = m.kind === "rule_x" ? at[1] : y.apply(m.kind === "bars" ? m.y2[k] : m.y[k]);
      const before = m.role === "divergent" ? 4 : 0;  // pixels: these are looked for
      const far = m.kind === "points" || by_rows ? Math.hypot(px - at[0], py - at[1]) - before : Math.abs(px - at[0]) + 0.2 * Math.abs(py - at[1]);
      if (finite(far) && (best === null || far < best.far)) best = { far, mark: m, k };
    }
  }
  return best && best.far < 24 ? best : null;
}

function words_at(panel, { mark, k }) {
  const parts = [mark.label];
  if (panel.y.rows && mark.y) parts[0] = `${panel.y.rows[Math.round(mark.y[k])]}, ${mark.label}`;
  if (mark.kind === "intervals") return `${parts[0]}: ${shown(mark.x[k])} to ${shown(mark.x2[k])}`;
  if (mark.x) parts.push(`${panel.x.label || "at"} ${shown(mark.x[k])}`);
  if (mark.kind === "spans") parts.push(`${shown(mark.y[k])} to ${shown(mark.y2[k])}`);
  else if (mark.y && !panel.y.rows) parts.push(`${panel.y.label ? panel.y.label + " " : ""}${shown(mark.kind === "bars" ? mark.y2[k] : mark.y[k])}`);
  return parts.join(", ");
}

function read_out(event, svg) {
  const found = nearest(svg, event);
  if (!found) return hide_reading();
  if (!reading) {
    reading = document.createElement("div");
    reading.className = "reading";
    reading.setAttribute("aria-hidden", "true");
    document.body.append(reading);
  }
  reading.textContent = words_at(svg.panel, found);
  const wide = reading.offsetWidth;
  reading.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - wide - 8))}px`;
  reading.style.top = `${Math.max(4, event.clientY - 34)}px`;
}

// ---- pictures

// Symbols of marks: a box for areas, a dot for points, a vertical line for spans and rules on x.
const keys = { area: "M0 1.5h18v9h-18Z", bars: "M0 1.5h18v9h-18Z", points: "M9 6h0", spans: "M9 1v10", rule_x: "M9 1v10" };
function key_of(m) {
  const svg = svg_element("svg", { width: 18, height: 12, viewBox: "0 0 18 12", class: "key", "aria-hidden": "true" });
  const group = svg_element("g", { "data-kind": m.kind, "data-role": m.role });
  if (m.chain !== undefined) mark_chain(group.dataset, m.chain);
  group.append(svg_element("path", { d: keys[m.kind] ?? "M1 6h16" }));
  svg.append(group);
  return svg;
}

function legend_of(panels) {
  const entries = new Map();
  for (const panel of panels) for (const m of panel.marks) if (!entries.has(m.label) && !(m.chain >= 12)) entries.set(m.label, m);
  if (entries.size < 2) return null;
  const list = document.createElement("ul");
  list.className = "legend";
  for (const [label, m] of entries) {
    const item = document.createElement("li");
    item.dataset.role = m.role;
    item.dataset.kind = m.kind;
    if (m.chain !== undefined) mark_chain(item.dataset, m.chain);
    item.append(key_of(m), label);
    list.append(item);
  }
  return list;
}

// A figure with its title, words and panels, drawn when it comes into view and again when its width changes.
// `make()` gives {title, words, panels, columns, height}.
const waiting = new IntersectionObserver(
  (entries) => when_read(() => entries.filter((e) => e.isIntersecting).forEach((e) => e.target.draw())),
  { rootMargin: "600px 0px" },
);
const widths = new ResizeObserver((entries) => entries.forEach((e) => e.target.redraw?.()));

export function figure_of(kind, make, { level = 3, after = () => {}, least = 250 } = {}) {
  const figure = document.createElement("figure");
  figure.dataset.picture = kind;
  figure.dataset.state = "waiting";
  let picture = null, drawn_width = 0;
  figure.draw = () => {
    const width = figure.clientWidth;
    if (width === 0 || (figure.dataset.state === "drawn" && Math.abs(width - drawn_width) < 2)) return;
    waiting.unobserve(figure);
    drawn_width = width;
    picture ??= make();
    render(figure, picture, width, level, least);
    figure.dataset.state = "drawn";
    after(figure);
  };
  figure.redraw = () => figure.dataset.state === "drawn" && figure.draw();
  figure.renew = () => {
    picture = null;
    drawn_width = 0;
    if (figure.dataset.state === "drawn") figure.draw();
  };
  waiting.observe(figure);
  widths.observe(figure);
  return figure;
}

function render(figure, picture, width, level, least) {
  const columns = Math.max(1, Math.min(picture.columns ?? 1, Math.floor(width / (picture.matrix ? 90 : least))));
  const gap = 12, each = (width - gap * (columns - 1)) / columns;
  const caption = document.createElement("figcaption");
  if (picture.title) {
    const title = document.createElement(`h${level}`);
    title.textContent = picture.title;
    caption.append(title);
  }
  if (picture.words) caption.append(Object.assign(document.createElement("p"), { textContent: picture.words }));
  const grid = document.createElement("div");
  grid.className = "panels";
  grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  for (const panel of picture.panels) grid.append(panel.marks.length === 0 ? document.createElement("div") : panel_element(panel, each, picture));
  figure.replaceChildren(caption, ...[legend_of(picture.panels)].filter(Boolean), grid);
}

function panel_element(panel, width, picture) {
  const box = document.createElement("div");
  if (panel.title) box.append(Object.assign(document.createElement("p"), { className: "panel-title", textContent: panel.title }));
  const svg = draw_panel(panel, width, picture.height || Math.min(220, Math.max(120, width * 0.55)));
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", [picture.title, panel.title, panel.says].filter(Boolean).join(": ") || picture.kind);
  box.append(svg);
  return box;
}

export function draw_all() {
  document.querySelectorAll("figure[data-picture]").forEach((figure) => figure.draw());
}

export { number };
