import { h, fill, missing, setText } from "./dom.js";
import { count, duration, rate } from "./format.js";
import { latencyChart, refreshLatency } from "./latency.js";
import { Past, spanPicker } from "./past.js";
import { Table } from "./table.js";

// The whole server at a glance, or as much of it as somebody may see.

const states = [["ready", "Ready"], ["reserved", "Reserved"], ["delayed", "Delayed"], ["buried", "Buried"]];
const speeds = [["puts", "Puts/s"], ["done", "Deletes/s"], ["timeoutRate", "Timeouts/s"]];

const whole = new Past("");
const jobs = whole.chart("Jobs by state", states);
const rates = whole.chart("Jobs a second", [["puts", "put"], ["done", "deleted"]]);
let before;

// lacking says what somebody does not see here.
function lacking(may, act) {
  if (!may.can.includes("stats")) return "You see no figures: they need the right stats on a tube.";
  if (!may.whole) return "You see the tubes on which you have the right stats. The figures of the whole server, their history, the latency and the shards need it on all tubes.";
  return act && !may.connections ? "The list of connections needs the right admin on all tubes." : "";
}

export function overview(main) {
  const tiles = new Map();
  const tile = (key, label) => {
    const value = h("b", {}, "–");
    tiles.set(key, value);
    return h("li", { class: "tile t-" + key, hidden: key === "timeoutRate" }, h("span", {}, label), value);
  };
  const facts = h("p", { class: "facts" }), lack = h("div"), spans = h("div", { class: "row spans" }, spanPicker());
  const table = new Table(["name", "ready", "reserved", "delayed", "buried", "waiting", "puts", "done"]);
  const figures = h("div", { hidden: true },
    h("ul", { class: "tiles" }, [...states, ["waiting", "Waiting workers"], ...speeds].map(([k, l]) => tile(k, l))), spans,
    h("div", { class: "pair" }, jobs.element, rates.element), latencyChart,
    h("section", { class: "card" }, h("div", { class: "row" }, h("h2", {}, "Busiest tubes"), h("a", { href: "#/tubes" }, "All tubes")), table.element));
  fill(main, h("div", { class: "head" }, h("h1", {}, "Overview"), facts), lack, figures);
  let said;
  return {
    title: "",
    async refresh(signal, a) {
      const t = a.total, may = a.may, seconds = before ? (a.at - before.at) / 1000 : 0;
      if (seconds > 0) t.timeoutRate = Math.max(0, ((t.timeouts || 0) - before.timeouts) / seconds);
      else t.timeoutRate = before ? before.rate : 0;
      before = { at: a.at, timeouts: t.timeouts || 0, rate: t.timeoutRate };
      for (const [k, e] of tiles) setText(e, !speeds.some(([s]) => s === k) ? count(t[k]) : a.rated ? rate(t[k]) : "–");
      tiles.get("timeoutRate").parentElement.hidden = spans.hidden = latencyChart.hidden = !may.whole;
      figures.hidden = !may.can.includes("stats");
      const tubes = `${count(a.tubes)} tube${a.tubes === 1 ? "" : "s"}`;
      const where = may.whole ? `${tubes} on ${a.shards.length} shard${a.shards.length === 1 ? "" : "s"}` : figures.hidden ? "" : `${tubes} that you may see`;
      setText(facts, [where, `up ${duration(a.uptime)}`, `version ${a.version}`].filter(Boolean).join(" · "));
      const text = lacking(may, a.act);
      if (text !== said) fill(lack, missing(said = text));
      whole.add(a, t);
      table.show(a.busiest);
      if (!may.whole) return whole.alone(a.at);
      await whole.refresh(a.at, signal);
      await refreshLatency(signal, whole);
    },
  };
}
