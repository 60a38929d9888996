import { get } from "./api.js";
import { h, fill, missing, setText } from "./dom.js";
import { count } from "./format.js";
import { keep, recall } from "./store.js";
import { columns, Pager, sorting, Table } from "./table.js";
import { purgeTubes, putDialog } from "./actions.js";

// All tubes: filtered, sorted and paged by the server.

const usual = ["name", "ready", "reserved", "delayed", "buried", "waiting", "puts", "done", "total"];

export function tubes(main) {
  const again = () => dispatchEvent(new Event("again"));
  const want = { from: 0, n: recall("rows", 50), filter: "" };
  const sort = sorting("sort", { sort: "name", desc: false }, ["name"], want, again);
  const shown = () => Object.keys(columns).filter((k) => k === "name" || recall("columns", usual).includes(k));
  const table = sort.table = new Table(shown(), sort), pager = new Pager(want, again);
  const found = h("p", { class: "facts", "aria-live": "polite" });
  const field = h("input", { type: "search", placeholder: "Filter, for example mail or *.retry", "aria-label": "Filter tubes by name", spellcheck: "false",
    oninput: () => { want.filter = field.value; want.from = 0; again(); } });
  let among = 0, sum = { ready: 0, delayed: 0, buried: 0 };
  const purge = h("button", { class: "act danger", hidden: true, onclick: () => purgeTubes(want.filter, among, () => sum) }, "Purge these");
  const put = h("button", { class: "act primary", hidden: true, onclick: () => putDialog("") }, "Put a job"), lack = h("div");
  const boxes = Object.keys(columns).filter((k) => k !== "name").map((k) => {
    const box = h("input", { type: "checkbox", checked: shown().includes(k), onchange: () => {
      const chosen = new Set(recall("columns", usual));
      if (box.checked) chosen.add(k); else chosen.delete(k);
      keep("columns", [...chosen]);
      table.choose(shown());
      again();
    } });
    return h("label", {}, box, columns[k]);
  });
  const menu = h("details", { class: "menu" }, h("summary", {}, "Columns"), h("div", { class: "sheet boxes" }, boxes));
  const card = h("section", { class: "card" }, table.element);
  fill(main,
    h("div", { class: "head" }, h("h1", {}, "Tubes"), found),
    h("div", { class: "row controls" }, field, menu, pager.size,
      purge, put), lack,
    card,
    pager.element);
  return {
    title: "Tubes",
    async refresh(signal, { may }) {
      put.hidden = !may.can.includes("put");
      const blind = !may.can.includes("stats"), text = blind ? "You see no tubes: that needs the right stats on them." : may.whole ? "" : "You see the tubes on which you have the right stats.";
      for (const e of [card, pager.element, field, menu, pager.size]) e.hidden = blind;
      if (lack.textContent !== text) fill(lack, missing(text));
      if (blind) return;
      const a = await get("tubes", want, signal);
      const tubes = (n) => `${count(n)} tube${n === 1 ? "" : "s"}`;
      setText(found, a.found === a.all ? tubes(a.all) : `${count(a.found)} of ${tubes(a.all)}`);
      among = a.found;
      sum = a.sum;
      purge.hidden = want.filter === "" || a.found === 0 || !may.can.includes("purge");
      table.show(a.tubes);
      pager.show(a.from, a.tubes.length, a.found);
    },
  };
}
