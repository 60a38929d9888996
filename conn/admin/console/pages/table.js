import { h, fill, setText, visible } from "./dom.js";
import { count, duration, rate } from "./format.js";

// The table of tubes.

export const columns = {
  name: "Tube", ready: "Ready", reserved: "Reserved", delayed: "Delayed", buried: "Buried", urgent: "Urgent", waiting: "Waiting",
  watching: "Watching", using: "Using", puts: "Puts/s", done: "Deletes/s", total: "Total", deletes: "Deletes", pauses: "Pauses",
  groups: "Groups", consumers: "Consumers", pending: "Pending",
};

const speeds = new Set(["puts", "done"]);
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Table {
  // sort, if given, is {by, desc, choose}.
  constructor(names, sort) {
    this.sort = sort;
    this.rows = new Map();
    this.head = h("tr");
    this.body = h("tbody");
    this.element = h("div", { class: "scroll" }, h("table", { class: "tubes" }, h("thead", {}, this.head), this.body));
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
      const label = columns[k];
      return h("th", { scope: "col", class: k === "name" ? "" : "n", "aria-sort": on ? (o.desc ? "descending" : "ascending") : null },
        o ? h("button", { class: "plain", onclick: () => o.choose(k) }, label, h("i", { class: "arrow", "aria-hidden": "true" }, on ? (o.desc ? "▾" : "▴") : "")) : label);
    }));
  }

  // show changes the rows to these tubes, and marks what is another number than before.
  show(tubes) {
    const next = [];
    const seen = new Set();
    for (const t of tubes) {
      let row = this.rows.get(t.name);
      if (!row) this.rows.set(t.name, row = this.row(t.name));
      this.update(row, t);
      seen.add(t.name);
      next.push(row.tr);
    }
    for (const name of this.rows.keys()) if (!seen.has(name)) this.rows.delete(name);
    if (next.length === 0) next.push(h("tr", {}, h("td", { colspan: this.names.length, class: "none" }, "No tubes")));
    const same = next.length === this.body.children.length && next.every((tr, i) => tr === this.body.children[i]);
    if (!same) {
      const focused = document.activeElement;
      this.body.replaceChildren(...next);
      if (focused?.isConnected && this.body.contains(focused)) focused.focus({ preventScroll: true });
    }
  }

  row(name) {
    const cells = {}, tr = h("tr");
    for (const k of this.names) {
      if (k === "name") {
        cells.pause = h("span", { class: "mark", hidden: true });
        tr.append(h("th", { scope: "row" }, h("a", { href: "#/tube/" + encodeURIComponent(name) }, visible(name)), cells.pause));
      } else {
        tr.append(cells[k] = h("td", { class: "n c-" + k }));
      }
    }
    return { tr, cells, fresh: true };
  }

  update(row, t) {
    for (const k of this.names) {
      if (k === "name") {
        row.cells.pause.hidden = t.pauseLeft < 0;
        if (t.pauseLeft >= 0) setText(row.cells.pause, `paused, ${duration(t.pauseLeft)} left`);
        continue;
      }
      const cell = row.cells[k];
      cell.classList.toggle("zero", t[k] === 0);
      if (setText(cell, speeds.has(k) ? rate(t[k]) : count(t[k])) && !row.fresh && !still.matches) {
        cell.classList.remove("changed");
        requestAnimationFrame(() => cell.classList.add("changed"));
      }
    }
    row.fresh = false;
  }
}
