import { get } from "./api.js";
import { fill, h, setText, visible } from "./dom.js";
import { brief, count } from "./format.js";

// The commands that took long, and what each waited for.

const columns = ["When", "Took", "Waited for its turn", "Ran", "Waited for the disk", "Command", "Tube", "Job", "Client"];
const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });
const time = (seconds) => brief(seconds * 1e6);

function row(c) {
  const tube = c.tube && h("a", { href: "#/tube/" + encodeURIComponent(c.tube) }, visible(c.tube));
  return h("tr", {},
    h("td", {}, clock.format(c.at)),
    [c.took, c.turn, c.ran, c.disk].map((s) => h("td", { class: s === 0 ? "number zero" : "number" }, time(s))),
    h("td", {}, c.count > 1 ? `${c.verb} × ${count(c.count)}` : c.verb),
    h("td", {}, tube),
    h("td", { class: "number" }, c.id ? String(c.id) : ""),
    h("td", {}, visible([c.client, c.who].filter(Boolean).join(", "))));
}

export function slow(main) {
  const facts = h("p", { class: "facts", "aria-live": "polite" }), body = h("tbody");
  const table = h("div", { class: "scroll" }, h("table", { "aria-label": "slow commands" }, h("thead", {}, h("tr", {}, columns.map((c) => h("th", {}, c)))), body));
  const card = h("section", { class: "card" }, table);
  let shown = "";
  fill(main, h("div", { class: "head" }, h("h1", {}, "What was slow"), facts), card);
  return {
    title: "Slow",
    async refresh(signal) {
      const a = await get("slow", {}, signal);
      const now = JSON.stringify(a.commands);
      const some = a.commands.length === 0 ? "Nothing is remembered" : `The latest ${count(a.commands.length)}`;
      setText(facts, a.bound === 0 ? "log.slow is 0, so nothing is noted." :
        `${some} of what took longer than ${time(a.bound)} (log.slow). ${a.hidden ? "You see the tubes on which you have the right stats." : count(a.count) + " since the start."}`);
      card.hidden = a.commands.length === 0;
      if (now === shown) return;
      shown = now;
      fill(body, a.commands.map(row));
    },
  };
}
