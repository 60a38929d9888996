import { get } from "./api.js";
import { append, fill, h, missing, setText, visible } from "./dom.js";
import { count, duration } from "./format.js";
import { plain } from "./table.js";

// The nodes of the cluster, as this one sees them, and its copies of the shards.

// to leads to the console of another node. That one refuses visitors from other sites, unless their origin is listed: so
// this link tells it, which no other does.
const to = (url, text) => h("a", { href: url, referrerpolicy: "origin" }, text);

let shown;

// serving says on each page of a node that follows who serves, and leads there. It is drawn anew only if that changes,
// so that the link keeps the focus.
export function serving(place, { following, node, owner, console }) {
  const now = JSON.stringify([following, node, owner, console]);
  if (shown === now) return;
  shown = now;
  place.hidden = !following;
  fill(place, !owner ? "This node follows. No node serves now." : owner === node ? "This node is to serve, and the jobs are not all back yet." : `This node follows. Node ${visible(owner)} serves`);
  if (owner && owner !== node) append(place, console ? [": ", to(console, "open its console"), "."] : ["; it has no console that other machines reach."]);
}

const links = new Map(); // by node and URL: a link stays the same while its row is made anew

function linkOf({ name, console }) {
  const key = name + " " + console;
  if (console && !links.has(key)) links.set(key, to(console, visible(console)));
  return links.get(key) || "";
}

const bad = (wrong, text) => (wrong ? h("span", { class: "bad" }, text) : text);

function node(n) {
  const doing = [n.role, n.drained && "drained", n.left && "given up"].filter(Boolean).join(", ");
  const silent = n.alive ? "yes" : n.silence < 0 ? "no" : `no, silent for ${duration(Math.round(n.silence))}`;
  return [visible(n.name), bad(!n.alive, silent), doing, n.version || "", n.alive ? count(n.lag) : "", linkOf(n), bad(n.problems?.length, (n.problems || []).join("; "))];
}

const shard = (s) => [s.shard, visible(s.owner), ...[s.epoch, s.place, s.durable, s.lag, s.trim, s.lane, s.doubts, s.refusals].map(count), bad(s.problem, s.problem || "")];

export function cluster(main) {
  const facts = h("p", { class: "facts", "aria-live": "polite" }), lack = h("div"), wrong = h("div");
  const nodes = plain("Nodes", ["Node", "Alive", "Doing", "Version", "Records behind", "Console", "Problems"], [4]);
  const shards = plain("Shards", ["Shard", "Owner", "Epoch", "Record", "In tables", "Behind", "Trimmed to", "Lane", "Doubts", "Rejections", "Problem"], [2, 3, 4, 5, 6, 7, 8, 9]);
  const cards = h("div", {}, wrong,
    h("section", { class: "card" }, h("h2", {}, "Nodes"), nodes.element), h("section", { class: "card" }, h("h2", {}, "Shards at this node"), shards.element));
  fill(main, h("div", { class: "head" }, h("h1", {}, "Cluster"), facts), lack, cards);
  return {
    title: "Cluster",
    async refresh(signal, server) {
      const without = !server.cluster ? "This server is one machine, and no node of a cluster." : server.may.whole ? "" : "What there is to know of the cluster needs the right stats on all tubes.";
      cards.hidden = without !== "";
      if (lack.textContent !== without) fill(lack, missing(without));
      if (without) return;
      const a = await get("cluster", {}, signal);
      setText(facts, `${a.cluster} · this is node ${a.node} · ${a.owner ? `node ${a.owner} serves` : "no node serves now"}`);
      const problems = (a.problems || []).join("; ");
      if (wrong.textContent !== problems) fill(wrong, problems && h("p", { class: "bad" }, problems));
      const focused = document.activeElement;
      nodes.show(a.nodes.map(node));
      if (nodes.element.contains(focused)) focused.focus({ preventScroll: true });
      shards.show((a.shards || []).map(shard));
    },
  };
}
