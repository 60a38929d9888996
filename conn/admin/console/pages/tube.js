import { get, post } from "./api.js";
import { kickAll, kickDialog, kickOne, may, moveDialog, pauseDialog, purgeDialog, putDialog } from "./actions.js";
import { perform } from "./dialog.js";
import { fill, h, missing, setText, visible } from "./dom.js";
import { bytes, count, duration, rate } from "./format.js";
import { jobCard } from "./job.js";
import { origin, settings } from "./policies.js";
import { Past, spanPicker } from "./past.js";
import { finder } from "./search.js";
import { plain } from "./table.js";

// One tube.

const states = [["ready", "Ready"], ["reserved", "Reserved"], ["delayed", "Delayed"], ["buried", "Buried"]];
const tiles = [...states, ["waiting", "Waiting"], ["watching", "Watching"], ["using", "Using"], ["puts", "Puts/s"], ["done", "Deletes/s"], ["total", "Total"]];
const none = { ready: 0, reserved: 0, delayed: 0, buried: 0 };

// pasts are those of the tubes that were looked at, so that coming back shows the line again.
const pasts = new Map();
function pastOf(name) {
  if (!pasts.has(name)) {
    if (pasts.size > 30) pasts.delete(pasts.keys().next().value);
    const past = new Past(name);
    past.elements = [past.chart("Jobs by state", states).element, past.chart("Jobs a second", [["puts", "put"], ["done", "deleted"]]).element];
    pasts.set(name, past);
  }
  return pasts.get(name);
}

// actionButtons are what can be done with the tube. Each has the name of its action.
function actionButtons(name, figures) {
  return [
    ["put", "Put a job", () => putDialog(name), "primary"], ["kick", "Kick 1", () => kickOne(name, figures)], ["kick", "Kick N", () => kickDialog(name, figures)], ["kick", "Kick all", () => kickAll(name, figures)],
    ["pause", "Pause", () => pauseDialog(name, figures)], ["pause", "Unpause", () => perform("The pause has ended", () => post("pause", { tube: name, seconds: 0 }))],
    ["move", "Move jobs", () => moveDialog(name, figures)], ["purge", "Purge", () => purgeDialog(name, figures), "danger"],
  ].map(([action, text, onclick, kind = ""]) => ({ action, text, element: h("button", { class: kind, onclick, hidden: true }, text) }));
}

// lacking says what somebody does not see of the tube.
function lacking(can) {
  if (!can.includes("stats")) return can.includes("peek") ? "You see no figures of this tube: they need the right stats." : "You see no figures and no jobs of this tube: they need the rights stats and peek.";
  return can.includes("peek") ? "" : "You see no jobs of this tube: they need the right peek.";
}

export function tube(main, name) {
  const values = new Map(), shown = visible(name), past = pastOf(name);
  let now = none, last = "", lacks = "";
  const buttons = actionButtons(name, () => now);
  const facts = h("p", { class: "facts" }), paused = h("span", { class: "mark", hidden: true }), lack = h("div"), note = h("p", { class: "facts", hidden: true });
  const next = h("div", { class: "jobs" }), service = h("div");
  const seen = h("div", {}, h("ul", { class: "tiles small" }, tiles.map(([k, label]) => {
    const b = h("b", {}, "–");
    values.set(k, b);
    return h("li", { class: "tile t-" + k }, h("span", {}, label), b);
  })), h("div", { class: "row spans" }, note, spanPicker()), h("div", { class: "pair" }, past.elements));
  const peeked = h("div", {}, h("section", { class: "card", tabindex: "-1", "aria-label": "Next jobs" }, h("h2", {}, "Next jobs"), next), service, finder(name));
  fill(main,
    h("div", { class: "head" }, h("h1", {}, h("a", { href: "#/tubes", class: "quiet" }, "Tubes"), " / ", shown, " ", paused), facts),
    h("div", { class: "row act controls", role: "group", "aria-label": "Actions" }, buttons.map((b) => b.element)), lack, seen, peeked);

  // figures shows those of an answer.
  function figures(a) {
    const t = now = a.tube;
    for (const [k, b] of values) setText(b, k !== "puts" && k !== "done" ? count(t[k]) : a.rated ? rate(t[k]) : "–");
    setText(facts, `shard ${a.shard} · ${count(t.urgent)} urgent · ${count(t.deletes)} deleted · paused ${count(t.pauses)} time${t.pauses === 1 ? "" : "s"}`);
    paused.hidden = t.pauseLeft < 0;
    setText(paused, t.pauseLeft < 0 ? "" : `paused, ${duration(t.pauseLeft)} left`);
    past.add(a, t);
  }

  // permit shows what can be seen and done.
  function permit(can) {
    const sees = can.includes("stats");
    seen.hidden = !sees;
    peeked.hidden = !can.includes("peek");
    for (const { action, text, element } of buttons) {
      element.hidden = !may(can, action) || text === "Unpause" && sees && !(now.pauseLeft >= 0) || !sees && ["Kick N", "Kick all", "Move jobs", "Purge"].includes(text);
      if (text === "Kick 1" && sees) element.disabled = now.buried + now.delayed === 0;
    }
    const text = lacking(can);
    if (text !== lacks) fill(lack, missing(lacks = text));
  }

  return {
    title: shown,
    async refresh(signal) {
      let a;
      try {
        a = await get("tube", { name }, signal);
      } catch (e) {
        if (e.status !== 404) throw e;
        last = "";
        now = none;
        gone(values, next, service, facts);
        const { can } = await get("rights", { tube: name }, signal);
        return permit(can[name].filter((c) => ["put", "stats", "peek"].includes(c)));
      }
      if (a.tube) figures(a);
      permit(a.can);
      const now2 = JSON.stringify(["ready", "delayed", "buried"].map((s) => a.next[s] && { ...a.next[s], age: 0, timeLeft: 0 }));
      // A job must not go away under the pointer, and what was unfolded must not fold again.
      if (now2 !== last && !next.matches(":hover, :focus-within")) {
        last = now2;
        const cards = ["ready", "delayed", "buried"].filter((s) => a.next[s]).map((s) => jobCard(a.next[s], "next " + s));
        fill(next, cards.length ? cards : h("p", { class: "none" }, "No jobs"));
      }
      showService(service, a);
      if (!a.tube) return;
      await past.refresh(a.at, signal);
      note.hidden = past.kept;
      setText(note, "The server remembers the 100 busiest tubes; this one is not among them.");
    },
  };
}

// gone shows that there is no such tube.
function gone(values, next, service, facts) {
  setText(facts, "There is no such tube at the moment. It appears when somebody uses it.");
  for (const b of values.values()) setText(b, "–");
  fill(next, h("p", { class: "none" }, "No jobs"));
  fill(service);
}

// actions says what a policy has done, in words.
const actions = {
  refuse: "Puts refused", drop: "Dropped for a put", expire: "Expired", retry: "Delayed by retry", bury: "Dead letters buried",
  delete: "Dead letters deleted", move: "Dead letters moved", rate: "Times held back by rate", max_reserved: "Times held back by max_reserved",
};

function policyCard({ policy, did }) {
  return h("section", { class: "card" }, h("h2", {}, "Its policy"),
    policy && h("p", {}, `${visible(policy.match)} (${origin(policy)}): ${settings(policy)}`),
    h("dl", { class: "jobfacts" }, (did ?? []).map((d) => h("div", {}, h("dt", {}, actions[d.action] ?? d.action), h("dd", {}, count(d.count))))));
}

function showService(place, a) {
  const s = a.service, l = a.limits, did = (a.policy || a.did) && policyCard(a);
  if (!s) return void fill(place, did);
  const limit = (n, show = count) => (n ? show(n) : "no limit");
  const table = (what, numbers, heads, rows) => {
    const t = plain(what, heads, numbers);
    t.show(rows);
    return t.element;
  };
  fill(place, did, h("section", { class: "card" }, h("h2", {}, "Queue service"),
    h("dl", { class: "jobfacts" }, [
      ["Items", count(s.length)], ["In the rear queue", count(s.rear)], ["State", s.ended ? "ended" : "open"], ["Most items", limit(l.maxLength)], ["Largest item", limit(l.maxPayload, bytes)],
      ["Deliveries", limit(l.maxDelivery)], ["Must be committed in", limit(l.maxIdle, duration)], ["Dead letters", l.deadLetter], ["When full", l.autoEvict ? "drops the oldest" : "refuses"],
    ].map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)))),
    s.groupsTotal > 0 && [h("h3", {}, `${count(s.groupsTotal)} group${s.groupsTotal === 1 ? "" : "s"}`),
      table("groups", [1, 2, 3, 4], ["Group", "Consumers", "Pending", "Delivered", "Index"], s.groups.map((g) => [visible(g.name), count(g.consumers), count(g.pending), count(g.delivered), g.index]))],
    s.consumersTotal > 0 && [h("h3", {}, `${count(s.consumersTotal)} consumer${s.consumersTotal === 1 ? "" : "s"}`),
      table("consumers", [2, 3, 4, 5, 6], ["Consumer", "Status", "Pending", "Window", "Free slots", "Silent for", "Index"],
        s.consumers.map((c) => [visible(c.group + "." + c.user), c.status, count(c.pending), c.auto ? "auto-commit" : count(c.window), c.auto ? "" : count(c.slots), duration(c.idle), c.index]))]));
}
