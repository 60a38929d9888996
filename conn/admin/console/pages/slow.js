import { get } from "./api.js";
import { fill, h, setText, visible } from "./dom.js";
import { brief, count, exactly } from "./format.js";
import { plain } from "./table.js";

// The commands that took long, and what each waited for: as beanfield slow shows them.

const columns = ["When", "Took", "Waited for its turn", "Ran", "Waited for the disk", "Command", "Tube", "Job", "Client"];
const tenths = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const time = (seconds) => (seconds === 0 ? h("span", { class: "zero" }, "0") : seconds < 1e-3 ? brief(seconds * 1e6) : tenths.format(seconds * 1e3) + " ms");

const row = (c) => [
  exactly(c.at), ...[c.took, c.turn, c.ran, c.disk].map(time), c.count > 1 ? `${c.verb} × ${count(c.count)}` : c.verb,
  c.tube && h("a", { href: "#/tube/" + encodeURIComponent(c.tube) }, visible(c.tube)), c.id ? String(c.id) : "", visible([c.client, c.who].filter(Boolean).join(", ")),
];

export function slow(main) {
  const facts = h("p", { class: "facts", "aria-live": "polite" }), table = plain("slow commands", columns, [1, 2, 3, 4, 7]);
  const card = h("section", { class: "card" }, table.element);
  let shown = "";
  fill(main, h("div", { class: "head" }, h("h1", {}, "What was slow"), facts), card);
  return {
    title: "Slow",
    async refresh(signal) {
      const a = await get("slow", {}, signal);
      const now = JSON.stringify(a.commands);
      const some = a.commands.length === 0 ? "Nothing is remembered" : `The latest ${count(a.commands.length)}`;
      setText(facts, a.bound === 0 ? "log.slow is 0, so nothing is noted." :
        `${some} of what took longer than ${brief(a.bound * 1e6)} (log.slow). ${a.hidden ? "You see the tubes on which you have the right stats." : count(a.count) + " since the start."}`);
      card.hidden = a.commands.length === 0;
      if (now === shown) return;
      shown = now;
      table.show(a.commands.map(row));
    },
  };
}
