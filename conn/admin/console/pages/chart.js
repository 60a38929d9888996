import { h } from "./dom.js";
import { short } from "./format.js";

// A line chart, drawn as SVG.

const NS = "http://www.w3.org/2000/svg";
const HEIGHT = 150, LEFT = 44, BOTTOM = 18, TOP = 8;

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
  constructor(title, series, form = short) {
    this.form = form;
    this.series = series;
    this.svg = s("svg", { height: HEIGHT, role: "img", "aria-label": title, class: "chart" });
    this.values = new Map();
    const legend = h("ul", { class: "legend" }, series.map(({ key, label }) => {
      const value = h("b", {}, "–");
      this.values.set(key, value);
      return h("li", {}, h("i", { class: "dot s-" + key }), label, value);
    }));
    this.element = h("figure", { class: "card" }, h("figcaption", {}, h("h2", {}, title), legend), this.svg);
  }

  // show draws points over a span that ends now.
  show(points, now, span) {
    const last = points.at(-1);
    for (const { key } of this.series) this.values.get(key).textContent = last?.[key] == null ? "–" : this.form(last[key]);
    if (!points.length) return void this.svg.replaceChildren();
    const width = this.svg.clientWidth || 600, right = width - 4, low = HEIGHT - BOTTOM;
    const top = nice(Math.max(...points.flatMap((p) => this.series.map(({ key }) => p[key] ?? 0))));
    const x = (at) => right - ((now - at) / span.ms) * (right - LEFT);
    const y = (v) => low - (v / top) * (low - TOP);
    const parts = [];
    for (const f of [0, 0.5, 1]) {
      parts.push(s("line", { x1: LEFT, x2: right, y1: y(top * f), y2: y(top * f), class: "grid" }));
      parts.push(s("text", { x: LEFT - 8, y: y(top * f) + 4, "text-anchor": "end" }, this.form(top * f)));
    }
    for (const [ago, text, anchor] of [[span.ms, span.from ?? clock(now - span.ms), "start"], [span.ms / 2, span.half ?? clock(now - span.ms / 2), "middle"], [0, "now", "end"]]) {
      parts.push(s("text", { x: x(now - ago), y: HEIGHT - 3, "text-anchor": anchor }, text));
    }
    for (const { key } of this.series) parts.push(...this.line(key, points, span, x, y));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`); // as it is, so that texts have their size
    this.svg.replaceChildren(...parts);
  }

  // line draws one figure. Where it was not known, or nothing was for a while, there is a gap.
  line(key, points, span, x, y) {
    let d = "", before, alone = false;
    const dots = [], dot = (p) => dots.push(s("circle", { cx: x(p.at), cy: y(p[key]), r: 1.5, class: "end s-" + key }));
    for (const p of points) {
      const known = p[key] != null, on = known && before && p.at - before.at <= span.gap;
      if (before && alone && !on) dot(before);
      if (known) d += `${on ? "L" : "M"}${x(p.at).toFixed(1)} ${y(p[key]).toFixed(1)}`;
      alone = known && !on;
      before = known ? p : undefined;
    }
    if (before) dots.push(s("circle", { cx: x(before.at), cy: y(before[key]), r: 3, class: "end s-" + key }));
    return [s("path", { d, class: "line s-" + key }), ...dots];
  }
}

// clock words a time of the day.
const clock = (at) => new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
