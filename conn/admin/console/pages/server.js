import { post } from "./api.js";
import { h, fill, missing } from "./dom.js";
import { bytes, count, duration } from "./format.js";
import { ask, perform } from "./dialog.js";

// Shards and their logs.

export function server(main) {
  const facts = h("p", { class: "facts" }), body = h("tbody", { role: "rowgroup" }), before = [];
  const heads = ["Shard", "Load", "Turns/s", "Waiting batches", "Jobs", "Tubes", "Bodies in memory", "On disk only", "Log records", "Syncs", "Live data", "Disk", "Log"];
  const lack = h("div"), shards = h("section", { class: "card" }, h("h2", {}, "Shards and logs"),
    h("div", { class: "scroll" }, h("table", { "aria-label": "Shards", class: "cards", role: "table" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads.map((t, i) => h("th", { scope: "col", role: "columnheader", class: i && i < 12 ? "n" : "" }, t)))), body)));
  const drain = h("section", { class: "card act", hidden: true }, h("h2", {}, "Drain"),
    h("p", {}, "A server that drains refuses new jobs and goes on serving those that it has. This ends with the process only."),
    h("button", { class: "danger", onclick: async () => {
      if (await ask("Drain this server?", "From now on every put is answered DRAINING, until the server is started again.", "Drain")) {
        await perform("Drained", () => post("drain", {}));
      }
    } }, "Drain the server"));
  fill(main, h("div", { class: "head" }, h("h1", {}, "Server"), facts), lack, shards, drain);
  return {
    title: "Server",
    refresh(signal, a) {
      shards.hidden = !a.may.whole;
      drain.hidden = !a.may.drain || a.draining;
      const text = a.may.whole ? "" : "The figures of the shards and their logs need the right stats on all tubes.";
      if (lack.textContent !== text) fill(lack, missing(text));
      fill(facts, `version ${a.version} · up ${duration(a.uptime)}${a.draining ? " · draining: new jobs are refused" : ""}`);
      fill(body, a.shards.map((s, i) => {
        const was = before[i], ms = was ? a.at - was.at : 0;
        const load = ms > 0 ? Math.min(1, (s.busy - was.busy) / 1e6 / ms) : was?.load ?? 0;
        const turns = ms > 0 ? ((s.turns - was.turns) * 1000) / ms : was?.rate ?? 0;
        before[i] = { at: a.at, busy: s.busy, turns: s.turns, load, rate: turns };
        const log = s.error ? "failed: " + s.error : s.full ? "no room" : s.written || s.disk ? "ok" : "none (memory)";
        const cell = (k, content, kind = "n") => h("td", { role: "cell", class: kind, "data-label": heads[k] }, content);
        return h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, h("span", { class: "phone" }, "Shard "), i),
          cell(1, [h("meter", { min: 0, max: 1, high: 0.8, value: load.toFixed(3), "aria-label": "Load of shard " + i }), " " + Math.round(load * 100) + " %"]),
          [count(turns), count(s.mailbox), count(s.jobs), count(s.tubes), bytes(s.memory), bytes(s.outside), count(s.written), count(s.syncs), bytes(s.live), bytes(s.disk)]
            .map((t, k) => cell(k + 2, t)),
          cell(12, log, s.error || s.full ? "bad" : ""));
      }));
    },
  };
}
