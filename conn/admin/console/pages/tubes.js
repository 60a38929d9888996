import { get } from "./api.js";
import { h, fill, setText } from "./dom.js";
import { count } from "./format.js";
import { keep, recall } from "./store.js";
import { columns, Table } from "./table.js";
import { putDialog } from "./actions.js";

// All tubes: filtered, sorted and paged by the server.

const usual = ["name", "ready", "reserved", "delayed", "buried", "waiting", "puts", "done", "total"];

export function tubes(main) {
  const again = () => dispatchEvent(new Event("again"));
  const want = { from: 0, n: recall("rows", 50), filter: "", ...recall("sort", { sort: "name", desc: false }) };
  const sort = {
    by: want.sort, desc: want.desc,
    choose(k) {
      if (sort.by === k) sort.desc = !sort.desc;
      else { sort.by = k; sort.desc = k !== "name"; }
      want.sort = sort.by; want.desc = sort.desc; want.from = 0;
      keep("sort", { sort: sort.by, desc: sort.desc });
      table.heads();
      again();
    },
  };
  const shown = () => Object.keys(columns).filter((k) => k === "name" || recall("columns", usual).includes(k));
  const table = new Table(shown(), sort);
  const found = h("p", { class: "facts", "aria-live": "polite" });
  const field = h("input", { type: "search", placeholder: "Filter, for example mail or *.retry", "aria-label": "Filter tubes by name", spellcheck: "false",
    oninput: () => { want.filter = field.value; want.from = 0; again(); } });
  const pager = { where: h("span", { class: "quiet" }) };
  const turn = (by) => () => { want.from = Math.max(0, want.from + by * want.n); again(); };
  pager.back = h("button", { onclick: turn(-1) }, "Previous");
  pager.on = h("button", { onclick: turn(1) }, "Next");
  const size = h("select", { "aria-label": "Rows of a page", onchange: () => { want.n = Number(size.value); want.from = 0; keep("rows", want.n); again(); } },
    [25, 50, 100, 200].map((n) => h("option", { value: n, selected: n === want.n }, n + " rows")));
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
      h("details", { class: "menu" }, h("summary", {}, "Columns"), h("div", { class: "sheet boxes" }, boxes)), size,
      h("button", { class: "act primary", onclick: () => putDialog("") }, "Put a job")),
    h("section", { class: "card" }, table.element),
    h("div", { class: "row pager" }, pager.back, pager.where, pager.on));
  return {
    title: "Tubes",
    async refresh(signal) {
      const a = await get("tubes", want, signal);
      want.from = a.from;
      setText(found, a.found === a.all ? `${count(a.all)} tubes` : `${count(a.found)} of ${count(a.all)} tubes`);
      table.show(a.tubes);
      setText(pager.where, a.tubes.length ? `${count(a.from + 1)} to ${count(a.from + a.tubes.length)} of ${count(a.found)}` : "");
      pager.back.disabled = a.from === 0;
      pager.on.disabled = a.from + a.tubes.length >= a.found;
    },
  };
}
