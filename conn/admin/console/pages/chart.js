import { h } from "./dom.js";
import { short } from "./format.js";

// A line chart of the last minutes, drawn as SVG.

const NS = "http://www.w3.org/2000/svg";
const HEIGHT = 150, LEFT = 44, BOTTOM = 18, TOP = 8;
export const SPAN = 180_000; // milliseconds

function s(tag, attributes, text) {
  const e = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text != null) e.textContent = text;
  return e;
}

// nice is a round number at or above n.
function nice(n) {
  if (n <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(n));
  for (const f of [1, 2, 4, 5, 8, 10]) if (f * power >= n) return f * power;
  return n;
}

export class Chart {
  // form words a value. A value that is null leaves a gap.
  constructor(title, series, width = 600, form = short) {
    this.width = width;
    this.form = form;
    this.series = series;
    this.points = [];
    this.svg = s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" });
    this.values = new Map();
    const legend = h("ul", { class: "legend" }, series.map(({ key, label }) => {
      const value = h("b", {}, "–");
      this.values.set(key, value);
      return h("li", {}, h("i", { class: "dot s-" + key }), label, value);
    }));
    this.element = h("figure", { class: "card" }, h("figcaption", {}, h("h2", {}, title), legend), this.svg);
  }

  add(at, values) {
    const last = this.points.at(-1);
    if (last && at <= last.at) return;
    this.points.push({ at, ...values });
    while (this.points.length > 2 && this.points[1].at < at - SPAN) this.points.shift();
    this.refresh();
  }

  refresh() {
    const last = this.points.at(-1);
    for (const { key } of this.series) this.values.get(key).textContent = last?.[key] == null ? "–" : this.form(last[key]);
    if (last) this.draw();
    else this.svg.replaceChildren();
  }

  draw() {
    const now = this.points.at(-1).at, right = this.width - 4, low = HEIGHT - BOTTOM;
    const top = nice(Math.max(...this.points.flatMap((p) => this.series.map(({ key }) => p[key] ?? 0))));
    const x = (at) => right - ((now - at) / SPAN) * (right - LEFT);
    const y = (v) => low - (v / top) * (low - TOP);
    const parts = [];
    for (const f of [0, 0.5, 1]) {
      parts.push(s("line", { x1: LEFT, x2: right, y1: y(top * f), y2: y(top * f), class: "grid" }));
      parts.push(s("text", { x: LEFT - 8, y: y(top * f) + 4, "text-anchor": "end" }, this.form(top * f)));
    }
    for (const [at, text] of [[SPAN, "3 min ago"], [SPAN / 2, "90 s"], [0, "now"]]) {
      parts.push(s("text", { x: x(now - at), y: HEIGHT - 3, "text-anchor": at === SPAN ? "start" : at ? "middle" : "end" }, text));
    }
    for (const { key } of this.series) {
      let pen = "M";
      const d = this.points.filter((p) => p.at >= now - SPAN).map((p) => {
        if (p[key] == null) { pen = "M"; return ""; }
        const step = `${pen}${x(p.at).toFixed(1)} ${y(p[key]).toFixed(1)}`;
        pen = "L";
        return step;
      }).join("");
      parts.push(s("path", { d, class: "line s-" + key }));
      const end = this.points.at(-1)[key];
      if (end != null) parts.push(s("circle", { cx: x(now), cy: y(end), r: 3, class: "end s-" + key }));
    }
    this.svg.replaceChildren(...parts);
  }
}
