import { get } from "./api.js";
import { h, fill, setText } from "./dom.js";
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
  let among = 0;
  const purge = h("button", { class: "act danger", hidden: true, onclick: () => purgeTubes(want.filter, among) }, "Purge these");
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
  fill(main,
    h("div", { class: "head" }, h("h1", {}, "Tubes"), found),
    h("div", { class: "row controls" }, field,
      h("details", { class: "menu" }, h("summary", {}, "Columns"), h("div", { class: "sheet boxes" }, boxes)), pager.size,
      purge, h("button", { class: "act primary", onclick: () => putDialog("") }, "Put a job")),
    h("section", { class: "card" }, table.element),
    pager.element);
  return {
    title: "Tubes",
    async refresh(signal) {
      const a = await get("tubes", want, signal);
      setText(found, a.found === a.all ? `${count(a.all)} tubes` : `${count(a.found)} of ${count(a.all)} tubes`);
      among = a.found;
      purge.hidden = want.filter === "" || a.found === 0;
      table.show(a.tubes);
      pager.show(a.from, a.tubes.length, a.found);
    },
  };
}
