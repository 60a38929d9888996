import { Chart } from "./chart.js";
import { h, fill, setText } from "./dom.js";
import { count, duration, rate } from "./format.js";
import { latencyChart, refreshLatency } from "./latency.js";
import { Table } from "./table.js";

// The whole server at a glance.

const states = [["ready", "Ready"], ["reserved", "Reserved"], ["delayed", "Delayed"], ["buried", "Buried"]];
const speeds = [["puts", "Puts/s"], ["done", "Deletes/s"], ["timeoutRate", "Timeouts/s"]];

const jobs = new Chart("Jobs by state", states.map(([key, label]) => ({ key, label })));
const rates = new Chart("Jobs a second", [{ key: "puts", label: "put" }, { key: "done", label: "deleted" }]);
let before;

export function overview(main) {
  const tiles = new Map();
  const tile = (key, label) => {
    const value = h("b", {}, "–");
    tiles.set(key, value);
    return h("li", { class: "tile t-" + key }, h("span", {}, label), value);
  };
  const facts = h("p", { class: "facts" });
  const table = new Table(["name", "ready", "reserved", "delayed", "buried", "waiting", "puts", "done"]);
  fill(main,
    h("div", { class: "head" }, h("h1", {}, "Overview"), facts),
    h("ul", { class: "tiles" }, [...states, ["waiting", "Waiting workers"], ...speeds].map(([k, l]) => tile(k, l))),
    h("div", { class: "pair" }, jobs.element, rates.element), latencyChart,
    h("section", { class: "card" }, h("div", { class: "row" }, h("h2", {}, "Busiest tubes"), h("a", { href: "#/tubes" }, "All tubes")), table.element));
  return {
    title: "",
    refresh(signal, a) {
      const t = a.total, seconds = before ? (a.at - before.at) / 1000 : 0;
      if (seconds > 0) t.timeoutRate = Math.max(0, ((t.timeouts || 0) - before.timeouts) / seconds);
      else t.timeoutRate = before ? before.rate : 0;
      before = { at: a.at, timeouts: t.timeouts || 0, rate: t.timeoutRate };
      for (const [k, e] of tiles) setText(e, speeds.some(([s]) => s === k) ? rate(t[k]) : count(t[k]));
      setText(facts, `${count(a.tubes)} tube${a.tubes === 1 ? "" : "s"} on ${a.shards.length} shard${a.shards.length === 1 ? "" : "s"} · up ${duration(a.uptime)} · version ${a.version}`);
      jobs.add(a.at, t);
      rates.add(a.at, t);
      table.show(a.busiest);
      return refreshLatency(signal).catch((e) => {
        if (e.status !== 403) throw e;
        latencyChart.hidden = true; // it is about all tubes
      });
    },
  };
}
