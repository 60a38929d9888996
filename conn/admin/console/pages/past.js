import { get } from "./api.js";
import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { keep, recall } from "./store.js";

// Charts that begin with what the server remembers. For five minutes they go on with each answer
// that the page gets; for an hour and a day the server is asked again at each of its steps.

export const spans = [
  { key: "5 min", ms: 300_000, ask: "hour", from: "5 min ago", half: "2½ min", gap: 25_000 },
  { key: "1 hour", ms: 3_600_000, ask: "hour", gap: 25_000 },
  { key: "1 day", ms: 86_400_000, ask: "day", gap: 750_000 },
];

let span = spans.find((s) => s.key === recall("span", "")) || spans[0];
const pickers = new Set();

// spanPicker makes buttons that choose the span of all charts.
export function spanPicker() {
  const buttons = spans.map((s) => h("button", { class: "span", onclick: () => choose(s) }, s.key));
  const element = h("div", { class: "span-group", role: "group", "aria-label": "Time that the charts show" }, buttons);
  const show = () => buttons.forEach((b, i) => b.setAttribute("aria-pressed", spans[i] === span));
  for (const p of pickers) if (!p.element.isConnected) pickers.delete(p);
  pickers.add({ element, show });
  show();
  return element;
}

function choose(s) {
  span = s;
  keep("span", s.key);
  for (const p of pickers) p.show();
  dispatchEvent(new Event("again"));
}

// Live is how far back the page itself remembers, in milliseconds.
export const LIVE = spans[0].ms;

// merged are the points of a chart: rows from the server, and what the page has seen since.
export function merged(rows, recent, now, over) {
  rows = rows.filter((r) => r.at > now - over.ms);
  if (over === spans[0]) return [...rows.filter((r) => !recent.some((p) => Math.abs(p.at - r.at) < 5_000)), ...recent].sort((a, b) => a.at - b.at);
  const last = recent.at(-1);
  return last && rows.length ? [...rows.filter((r) => r.at < last.at), last] : rows.length ? rows : recent;
}

// draw draws merged points. If the server remembers nothing, they come at the pace of the page.
export function draw(chart, rows, recent, now, over = span) {
  chart.show(merged(rows, recent, now, over), now, rows.length ? over : { ...over, gap: Math.max(over.gap, 80_000) });
}

// Past is the figures of a tube, or of the whole server if its name is "".
export class Past {
  constructor(tube) {
    this.tube = tube;
    this.recent = []; // what the page has seen
    this.rows = []; // what the server remembers
    this.charts = [];
    this.kept = true; // the server remembers this tube
    this.asked = 0; // when, and for what
    this.askedFor = null;
  }

  // chart makes a chart of some of the figures.
  chart(title, series) {
    const c = new Chart(title, series.map(([key, label]) => ({ key, label })));
    this.charts.push(c);
    return c;
  }

  // add takes in what the page has been answered. The first answer has no rates.
  add({ at, rated }, figures) {
    const last = this.recent.at(-1);
    if (last && at < last.at - 60_000) this.recent = []; // the server's clock went back
    else if (last && at <= last.at) return;
    this.recent.push({ at, ...figures, ...(rated ? {} : { puts: null, done: null }) });
    while (this.recent[0].at < at - LIVE) this.recent.shift();
  }

  // due says whether the server is to be asked again.
  due(now) {
    if (this.askedFor !== span) return true;
    if (span === spans[0]) return now - this.recent.at(-2)?.at > 15_000; // the page was hidden, or the server away
    return Math.abs(now - this.asked) >= (span.ask === "day" ? 60_000 : 10_000);
  }

  // refresh draws, and asks the server for what it remembers if that is due.
  async refresh(now, signal) {
    if (this.due(now)) {
      const a = await get("history", { span: span.ask, tube: this.tube }, signal);
      this.rows = a.rows.map(([at, ...figures]) => ({ at, ...Object.fromEntries(a.keys.map((k, i) => [k, figures[i]])) }));
      this.kept = a.kept;
      this.asked = now;
      this.askedFor = span;
    }
    this.draw(now);
  }

  draw(now) {
    for (const c of this.charts) draw(c, this.rows, this.recent, now);
  }

  // alone draws what the page has seen, for somebody who may not see the rest.
  alone(now) {
    this.rows = [];
    this.askedFor = null;
    for (const c of this.charts) draw(c, [], this.recent, now, spans[0]);
  }
}
