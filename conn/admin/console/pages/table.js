import { h, fill, setText, visible } from "./dom.js";
import { count, duration, rate } from "./format.js";
import { keep, recall } from "./store.js";

// Tables. On a phone, their rows become cards: the roles are for that.

const frame = (label, head, body) => h("div", { class: "scroll" },
  h("table", { "aria-label": label, class: "cards " + label, role: "table" }, h("thead", { role: "rowgroup" }, head), body));

// plain is a table whose rows are made anew. Some of its columns, by their places, have numbers.
export function plain(label, heads, numbers = []) {
  const body = h("tbody", { role: "rowgroup" }), kind = (i) => (numbers.includes(i) ? "n" : null);
  const cell = (c, i) => (i === 0 ? h("th", { scope: "row", role: "rowheader" }, c) : h("td", { role: "cell", class: kind(i), "data-label": heads[i] }, c));
  return {
    element: frame(label, h("tr", { role: "row" }, heads.map((c, i) => (c ? h("th", { scope: "col", role: "columnheader", class: kind(i) }, c) : h("td")))), body),
    show: (rows, none) => fill(body, rows.length || !none ? rows.map((cells) => h("tr", { role: "row" }, cells.map(cell))) : h("tr", {}, h("td", { colspan: heads.length, class: "none" }, none))),
  };
}

// A Table has rows that change in place.

// columns are those of the table of tubes.
export const columns = {
  name: "Tube", ready: "Ready", reserved: "Reserved", delayed: "Delayed", buried: "Buried", urgent: "Urgent", waiting: "Waiting",
  watching: "Watching", using: "Using", puts: "Puts/s", done: "Deletes/s", total: "Total", deletes: "Deletes", pauses: "Pauses",
  groups: "Groups", consumers: "Consumers", pending: "Pending",
};

const speeds = new Set(["puts", "done"]);
const still = matchMedia("(prefers-reduced-motion: reduce)");

// tubeRows say how a tube is shown. A kind of rows has columns, the key of a row's thing, the
// columns that are texts, and what makes and changes a cell; change returns whether it has.
const tubeRows = {
  what: "tubes", columns, key: (t) => t.name, texts: ["name"],
  make(cell, k, t) {
    if (k !== "name") return;
    cell.mark = h("span", { class: "mark", hidden: true });
    cell.append(h("a", { href: "#/tube/" + encodeURIComponent(t.name) }, visible(t.name)), cell.mark);
  },
  change(cell, k, t) {
    if (k !== "name") return number(cell, t[k], speeds.has(k) ? rate : count);
    cell.mark.hidden = t.pauseLeft < 0;
    if (t.pauseLeft >= 0) setText(cell.mark, `paused, ${duration(t.pauseLeft)} left`);
    return false;
  },
};

// number shows a number in a cell.
export function number(cell, value, form) {
  cell.classList.toggle("zero", value === 0);
  return setText(cell, form(value));
}

export class Table {
  // sort, if given, is {by, desc, choose}.
  constructor(names, sort, kind = tubeRows) {
    this.sort = sort;
    this.kind = kind;
    this.rows = new Map();
    this.head = h("tr", { role: "row" });
    this.body = h("tbody", { role: "rowgroup" });
    this.element = frame(kind.what, this.head, this.body);
    this.choose(names);
  }

  choose(names) {
    this.names = names;
    this.rows.clear();
    fill(this.body);
    this.heads();
  }

  heads() {
    const o = this.sort;
    fill(this.head, this.names.map((k) => {
      const on = o && o.by === k;
      const label = this.kind.columns[k];
      if (!label) return h("td");
      return h("th", { scope: "col", role: "columnheader", class: this.kind.texts.includes(k) ? "" : "n", "aria-sort": on ? (o.desc ? "descending" : "ascending") : null },
        o && !this.kind.unsorted?.includes(k) ? h("button", { class: "plain", onclick: () => o.choose(k) }, label, h("i", { class: "arrow", "aria-hidden": "true" }, on ? (o.desc ? "▾" : "▴") : "")) : label);
    }));
  }

  // show changes the rows to these things, and marks what is another number than before.
  show(things) {
    const next = [];
    const seen = new Set();
    for (const t of things) {
      const key = this.kind.key(t);
      let row = this.rows.get(key);
      if (!row) this.rows.set(key, row = this.row(t));
      this.update(row, t);
      seen.add(key);
      next.push(row.tr);
    }
    for (const key of this.rows.keys()) if (!seen.has(key)) this.rows.delete(key);
    if (next.length === 0) next.push(h("tr", {}, h("td", { colspan: this.names.length, class: "none" }, "No " + this.kind.what)));
    const same = next.length === this.body.children.length && next.every((tr, i) => tr === this.body.children[i]);
    if (!same) {
      const focused = document.activeElement;
      this.body.replaceChildren(...next);
      if (focused?.isConnected && this.body.contains(focused)) focused.focus({ preventScroll: true });
    }
  }

  row(t) {
    const cells = {}, tr = h("tr", { role: "row" });
    this.names.forEach((k, i) => {
      const text = this.kind.texts.includes(k);
      tr.append(cells[k] = i === 0 ? h("th", { scope: "row", role: "rowheader" }) : h("td", { role: "cell", class: (text ? "" : "n ") + "c-" + k, "data-label": this.kind.columns[k] }));
      this.kind.make(cells[k], k, t);
    });
    return { tr, cells, fresh: true };
  }

  update(row, t) {
    for (const k of this.names) {
      const cell = row.cells[k];
      if (this.kind.change(cell, k, t) && !row.fresh && !still.matches) {
        cell.classList.remove("changed");
        requestAnimationFrame(() => cell.classList.add("changed"));
      }
    }
    row.fresh = false;
  }
}

// Pager shows a long table a page at a time: filtered, sorted and cut by the server. want is
// what it is asked for.
export class Pager {
  constructor(want, again) {
    this.want = want;
    this.where = h("span", { class: "quiet" });
    const turn = (by) => () => { want.from = Math.max(0, want.from + by * want.n); again(); };
    this.back = h("button", { onclick: turn(-1) }, "Previous");
    this.on = h("button", { onclick: turn(1) }, "Next");
    this.element = h("div", { class: "row pager", role: "group", "aria-label": "Pages of the table" }, this.back, this.where, this.on);
    this.size = h("select", { "aria-label": "Rows of a page", onchange: () => { want.n = Number(this.size.value); want.from = 0; keep("rows", want.n); again(); } },
      [25, 50, 100, 200].map((n) => h("option", { value: n, selected: n === want.n }, n + " rows")));
  }

  show(from, shown, found) {
    this.want.from = from;
    setText(this.where, shown ? `${count(from + 1)} to ${count(from + shown)} of ${count(found)}` : "");
    this.back.disabled = from === 0;
    this.on.disabled = from + shown >= found;
  }
}

// sorting is how a table is sorted, as its user chose last.
export function sorting(key, usual, names, want, again) {
  Object.assign(want, recall(key, usual));
  const sort = {
    by: want.sort, desc: want.desc, table: null,
    choose(k) {
      if (sort.by === k) sort.desc = !sort.desc;
      else { sort.by = k; sort.desc = !names.includes(k); }
      want.sort = sort.by; want.desc = sort.desc; want.from = 0;
      keep(key, { sort: sort.by, desc: sort.desc });
      sort.table.heads();
      again();
    },
  };
  return sort;
}
