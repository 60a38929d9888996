import { get, post } from "./api.js";
import { kick, kickAll, kickDialog, moveDialog, pauseDialog, perform, purgeDialog, putDialog } from "./actions.js";
import { Chart } from "./chart.js";
import { fill, h, setText, visible } from "./dom.js";
import { bytes, count, duration, rate } from "./format.js";
import { jobCard } from "./job.js";
import { finder } from "./search.js";

// One tube.

const tiles = [["ready", "Ready"], ["reserved", "Reserved"], ["delayed", "Delayed"], ["buried", "Buried"], ["waiting", "Waiting"],
  ["watching", "Watching"], ["using", "Using"], ["puts", "Puts/s"], ["done", "Deletes/s"], ["total", "Total"]];

// charts of the tubes that were looked at, so that coming back shows the line again.
const charts = new Map();
function chartOf(name) {
  if (!charts.has(name)) {
    if (charts.size > 30) charts.delete(charts.keys().next().value);
    charts.set(name, new Chart("Jobs by state", [["ready", "Ready"], ["reserved", "Reserved"], ["delayed", "Delayed"], ["buried", "Buried"]].map(([key, label]) => ({ key, label })), innerWidth < 700 ? 600 : 1200));
  }
  return charts.get(name);
}

export function tube(main, name) {
  const values = new Map(), shown = visible(name);
  const facts = h("p", { class: "facts" }), paused = h("span", { class: "mark", hidden: true });
  const unpause = h("button", { hidden: true, onclick: () => perform("The pause has ended", () => post("pause", { tube: name, seconds: 0 })) }, "Unpause");
  const chart = chartOf(name), next = h("div", { class: "jobs" }), service = h("div");
  const button = (text, fn, kind = "") => h("button", { class: kind, onclick: fn }, text);
  fill(main,
    h("div", { class: "head" }, h("h1", {}, h("a", { href: "#/tubes", class: "quiet" }, "Tubes"), " / ", shown, " ", paused), facts),
    h("div", { class: "row act controls", role: "group", "aria-label": "Actions" },
      button("Put a job", () => putDialog(name), "primary"), button("Kick 1", () => kick(name, 1)), button("Kick N", () => kickDialog(name)), button("Kick all", () => kickAll(name)),
      button("Pause", () => pauseDialog(name)), unpause, button("Move jobs", () => moveDialog(name)), button("Purge", () => purgeDialog(name), "danger")),
    h("ul", { class: "tiles small" }, tiles.map(([k, label]) => {
      const b = h("b", {}, "–");
      values.set(k, b);
      return h("li", { class: "tile t-" + k }, h("span", {}, label), b);
    })),
    chart.element,
    h("section", { class: "card", tabindex: "-1", "aria-label": "Next jobs" }, h("h2", {}, "Next jobs"), next),
    service,
    finder(name));
  let last = "";
  return {
    title: shown,
    async refresh(signal) {
      let a;
      try {
        a = await get("tube", { name }, signal);
      } catch (e) {
        if (e.status !== 404) throw e;
        last = "";
        setText(facts, "There is no such tube at the moment. It appears when somebody uses it.");
        for (const b of values.values()) setText(b, "–");
        fill(next, h("p", { class: "none" }, "No jobs"));
        fill(service);
        return;
      }
      const t = a.tube;
      for (const [k, b] of values) setText(b, k === "puts" || k === "done" ? rate(t[k]) : count(t[k]));
      setText(facts, `shard ${a.shard} · ${count(t.urgent)} urgent · ${count(t.deletes)} deleted · paused ${count(t.pauses)} time${t.pauses === 1 ? "" : "s"}`);
      paused.hidden = unpause.hidden = t.pauseLeft < 0;
      setText(paused, t.pauseLeft < 0 ? "" : `paused, ${duration(t.pauseLeft)} left`);
      chart.add(a.at, t);
      const now = JSON.stringify(["ready", "delayed", "buried"].map((s) => a.next[s] && { ...a.next[s], age: 0, timeLeft: 0 }));
      // A job must not go away under the pointer, and what was unfolded must not fold again.
      if (now !== last && !next.matches(":hover, :focus-within")) {
        last = now;
        const cards = ["ready", "delayed", "buried"].filter((s) => a.next[s]).map((s) => jobCard(a.next[s], "next " + s));
        fill(next, cards.length ? cards : h("p", { class: "none" }, "No jobs"));
      }
      showService(service, a);
    },
  };
}

function showService(place, a) {
  const s = a.service, l = a.limits;
  if (!s) return void fill(place);
  const limit = (n, show = count) => (n ? show(n) : "no limit");
  // table has numbers from a column on.
  const table = (what, numbers, heads, rows) => h("div", { class: "scroll" }, h("table", { "aria-label": what, class: what },
    h("thead", {}, h("tr", {}, heads.map((t, i) => h("th", { scope: "col", class: i >= numbers ? "n" : "" }, t)))),
    h("tbody", {}, rows.map((r) => h("tr", {}, r.map((v, i) => (i === 0 ? h("th", { scope: "row" }, v) : h("td", { class: i >= numbers ? "n" : "" }, v))))))));
  fill(place, h("section", { class: "card" }, h("h2", {}, "Queue service"),
    h("dl", { class: "jobfacts" }, [
      ["Items", count(s.length)], ["In the rear queue", count(s.rear)], ["State", s.ended ? "ended" : "open"], ["Most items", limit(l.maxLength)], ["Largest item", limit(l.maxPayload, bytes)],
      ["Deliveries", limit(l.maxDelivery)], ["Must be committed in", limit(l.maxIdle, duration)], ["Dead letters", l.deadLetter], ["When full", l.autoEvict ? "drops the oldest" : "refuses"],
    ].map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)))),
    s.groupsTotal > 0 && [h("h3", {}, `${count(s.groupsTotal)} group${s.groupsTotal === 1 ? "" : "s"}`),
      table("groups", 1, ["Group", "Consumers", "Pending", "Delivered", "Index"], s.groups.map((g) => [visible(g.name), count(g.consumers), count(g.pending), count(g.delivered), g.index]))],
    s.consumersTotal > 0 && [h("h3", {}, `${count(s.consumersTotal)} consumer${s.consumersTotal === 1 ? "" : "s"}`),
      table("consumers", 2, ["Consumer", "Status", "Pending", "Window", "Free slots", "Silent for", "Index"],
        s.consumers.map((c) => [visible(c.group + "." + c.user), c.status, count(c.pending), c.auto ? "auto-commit" : count(c.window), c.auto ? "" : count(c.slots), duration(c.idle), c.index]))]));
}
