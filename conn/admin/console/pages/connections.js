import { get, post } from "./api.js";
import { ask, perform } from "./dialog.js";
import { fill, h, missing, setText, visible } from "./dom.js";
import { count, duration, rate } from "./format.js";
import { recall } from "./store.js";
import { number, Pager, sorting, Table } from "./table.js";

// Who is connected, and what each holds: filtered, sorted and paged by the server.

const columns = {
  peer: "Client", face: "Face", identity: "Identity", age: "Connected for", doing: "Doing", held: "Jobs held", asked: "Reads", speed: "Reads/s",
  used: "Puts into", watching: "Watches", consumer: "Consumer", end: "",
};
const texts = ["peer", "face", "identity", "age", "doing", "used", "watching", "consumer", "end"];

const tubeLink = (name) => name && h("a", { href: "#/tube/" + encodeURIComponent(name) }, visible(name));

// namedMost is how many tubes of a client have room in a row.
const namedMost = 3;

// watches names the tubes that a client watches.
function watches(c) {
  const names = c.watched.slice(0, namedMost), rest = c.watching - names.length;
  return names.length > 0 && h("span", { title: c.watched.join("\n") + (c.watching > c.watched.length ? "\n…" : "") }, names.map((n, i) => [i > 0 && ", ", tubeLink(n)]), rest > 0 && ` and ${count(rest)} more`);
}

const links = { used: (c) => tubeLink(c.used), watching: watches, consumer: (c) => visible(c.consumer) };

async function disconnect(c) {
  const text = "It is as if the client had hung up: the jobs that it holds become ready. Most clients connect again at once.";
  if (await ask(`Disconnect ${c.peer}?`, text, "Disconnect")) await perform(c.peer + " is disconnected", () => post("disconnect", { id: c.id }));
}

function rows() {
  const before = new Map(); // what was read from a client, and when
  return {
    what: "connections", columns, texts, unsorted: ["speed", "end"], key: (c) => c.id,
    make(cell, k, c) {
      if (k === "end") cell.append(h("button", { class: "act danger", "aria-label": "Disconnect " + c.peer, onclick: () => disconnect(c) }, "Disconnect"));
    },
    change(cell, k, c) {
      if (k === "end") return false;
      if (k === "held" || k === "asked") return number(cell, c[k], count);
      if (k === "speed") return number(cell, c.speed, rate);
      if (k === "age") return setText(cell, duration(c.age)), false;
      const is = [c.used, c.watched.join(" "), c.watching, c.consumer].join("\n");
      if (!links[k]) setText(cell, k === "face" && c.tls ? c.face + ", TLS" : visible(c[k]));
      else if (cell.was !== is) {
        cell.was = is;
        fill(cell, links[k](c));
      }
      return false;
    },
    // speeds says how often each client was read from since the last answer.
    speeds(at, list) {
      const now = new Map();
      for (const c of list) {
        const key = this.key(c), was = before.get(key);
        c.speed = was && at > was.at ? Math.max(0, ((c.asked - was.asked) * 1000) / (at - was.at)) : was?.speed ?? 0;
        now.set(key, was && at === was.at ? was : { at, asked: c.asked, speed: c.speed });
      }
      before.clear();
      for (const [k, v] of now) before.set(k, v);
    },
  };
}

export function connections(main) {
  const again = () => dispatchEvent(new Event("again"));
  const want = { from: 0, n: recall("rows", 50), filter: "" };
  const kind = rows();
  const sort = sorting("sort.connections", { sort: "held", desc: true }, texts.filter((k) => k !== "age"), want, again);
  const table = sort.table = new Table(Object.keys(columns), sort, kind), pager = new Pager(want, again);
  const found = h("p", { class: "facts", "aria-live": "polite" });
  const field = h("input", { type: "search", placeholder: "Filter, for example 10.0.0.* or mail", "aria-label": "Filter connections by address, tube or name", spellcheck: "false",
    oninput: () => { want.filter = field.value; want.from = 0; again(); } });
  fill(main,
    h("div", { class: "head" }, h("h1", {}, "Connections"), found),
    h("div", { class: "row controls" }, field, pager.size),
    h("section", { class: "card" }, table.element),
    pager.element);
  return {
    title: "Connections",
    async refresh(signal, { may }) {
      if (!may.connections) return void fill(main, h("div", { class: "head" }, h("h1", {}, "Connections")), missing("The list of connections needs the right admin on all tubes."));
      const a = await get("connections", want, signal);
      const which = a.found === a.all ? `${count(a.all)} connection${a.all === 1 ? "" : "s"}` : `${count(a.found)} of ${count(a.all)} connections`;
      setText(found, `${which} · ${count(a.held)} job${a.held === 1 ? "" : "s"} held · ${count(a.waiting)} waiting`);
      kind.speeds(a.at, a.connections);
      table.show(a.connections);
      pager.show(a.from, a.connections.length, a.found);
    },
  };
}
