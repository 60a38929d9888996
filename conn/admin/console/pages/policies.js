import { get, post } from "./api.js";
import { attempt, confirm, perform } from "./dialog.js";
import { fill, h, missing, setText, visible } from "./dom.js";
import { count } from "./format.js";

// The policies of tubes in the order in which they are asked, and the schedules.

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });
const time = (at) => (at ? clock.format(at) : "");

// settings are what a policy says, as it is written in the file.
export const settings = (p) => visible(p.settings.map((s) => `${s.key} = ${JSON.stringify(s.value)}`).join(", ")) || "the defaults";
export const origin = (p) => (p.from === "file" ? `file, line ${p.line}` : "run time");

const table = (label, heads, numbers, body) => h("div", { class: "scroll" }, h("table", { "aria-label": label },
  h("thead", {}, h("tr", {}, heads.map((t, i) => h("th", { scope: "col", class: numbers.includes(i) ? "n" : "" }, t)))), body));

const policyRow = (p) => h("tr", {},
  h("th", { scope: "row" }, visible(p.match)), h("td", {}, settings(p)), h("td", {}, origin(p)),
  h("td", {}, p.hiddenBy ? `never: ${visible(p.hiddenBy)} is asked before it` : ""));

const scheduleRow = (s) => h("tr", {},
  h("th", { scope: "row" }, visible(s.name)), h("td", {}, h("a", { href: "#/tube/" + encodeURIComponent(s.tube) }, visible(s.tube))),
  h("td", {}, visible(s.cron)), h("td", {}, visible(s.zone)), h("td", {}, time(s.last)), h("td", {}, time(s.next)),
  [s.jobs, s.missed, s.refused].map((n) => h("td", { class: "n" }, count(n))), h("td", {}, visible(s.refusal)), h("td", {}, visible(s.from)));

// change edits all that was set at run time. What somebody else has changed meanwhile is not overwritten.
async function change(list) {
  const text = h("textarea", { rows: 16, spellcheck: "false", autofocus: true });
  text.value = list.text;
  let done;
  const said = "The policies are asked before those of the file, and schedules are put beside those of the file. ";
  const ok = await confirm("Policies and schedules at run time", h("div", { class: "form" },
    h("p", {}, said, list.kept ? "They are kept when the server is started again." : "They hold until the process ends."),
    h("label", {}, "Tables as in the file: [[tube]], [[schedule]]", text)), "Set them",
  { check: () => attempt(async () => { done = await post("set-policies", { text: text.value, version: list.version }); }) });
  if (ok) await perform(done.changes, async () => {});
}

export function policies(main) {
  const facts = h("p", { class: "facts", "aria-live": "polite" }), problems = h("div"), lack = h("div");
  const rules = h("tbody"), ticks = h("tbody");
  let list, shown = "";
  const edit = h("button", { class: "act", onclick: () => list && change(list) }, "Change…");
  const some = table("policies", ["Tubes", "Settings", "From", "Asked"], [], rules);
  const card = h("section", { class: "card" }, h("h2", {}, "Policies of tubes"), some, problems, edit);
  const times = h("section", { class: "card" }, h("h2", {}, "Schedules"),
    table("schedules", ["Name", "Tube", "When", "Zone", "Last", "Next", "Jobs", "Missed", "Refused", "Why", "From"], [6, 7, 8], ticks));
  fill(main, h("div", { class: "head" }, h("h1", {}, "Policies"), facts), lack, card, times);
  return {
    title: "Policies",
    async refresh(signal, server) {
      const { may } = server;
      const plan = await get("schedules", {}, signal);
      list = may.whole ? await get("policies", {}, signal) : null;
      card.hidden = !list;
      edit.hidden = !may.policies;
      times.hidden = plan.schedules.length === 0;
      const now = JSON.stringify([list, plan.schedules]);
      if (now === shown) return;
      shown = now;
      fill(lack, missing(list ? "" : "All policies need the right stats on all tubes. Those of a tube are on its page."));
      setText(facts, list && list.policies.length === 0 ? "No tube has a policy." : "The first that matches a tube holds.");
      some.hidden = !list?.policies.length;
      fill(problems, (list?.problems ?? []).map((p) => h("p", { class: "bad" }, "Left out, because this version does not understand it: ", visible(p))));
      fill(rules, (list?.policies ?? []).map(policyRow));
      fill(ticks, plan.schedules.map(scheduleRow));
    },
  };
}
