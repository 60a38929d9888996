import { get, post } from "./api.js";
import { attempt, confirm, perform } from "./dialog.js";
import { fill, h, missing, setText, visible } from "./dom.js";
import { count, moment } from "./format.js";
import { plain } from "./table.js";

// The policies of tubes in the order in which they are asked, and the schedules.

// settings are what a policy says, as it is written in the file.
export const settings = (p) => visible(p.settings.map((s) => `${s.key} = ${JSON.stringify(s.value)}`).join(", ")) || "the defaults";
export const origin = (p) => (p.from === "file" ? `file, line ${p.line}` : "run time");

const policyRow = (p) => [visible(p.match), settings(p), origin(p), p.hiddenBy ? `never: ${visible(p.hiddenBy)} is asked before it` : ""];

const scheduleRow = (s) => [
  visible(s.name), h("a", { href: "#/tube/" + encodeURIComponent(s.tube) }, visible(s.tube)), visible(s.cron), visible(s.zone), moment(s.last), moment(s.next),
  ...[s.jobs, s.missed, s.refused].map(count), visible(s.refusal), visible(s.from),
];

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
  let list, shown = "";
  const edit = h("button", { class: "act", onclick: () => list && change(list) }, "Change…");
  const rules = plain("policies", ["Tubes", "Settings", "From", "Asked"]), some = rules.element;
  const ticks = plain("schedules", ["Name", "Tube", "When", "Zone", "Last", "Next", "Jobs", "Missed", "Refused", "Why", "From"], [6, 7, 8]);
  const card = h("section", { class: "card" }, h("h2", {}, "Policies of tubes"), some, problems, edit);
  const times = h("section", { class: "card" }, h("h2", {}, "Schedules"), ticks.element);
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
      rules.show((list?.policies ?? []).map(policyRow));
      ticks.show(plan.schedules.map(scheduleRow));
    },
  };
}
