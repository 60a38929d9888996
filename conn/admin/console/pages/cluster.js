import { get } from "./api.js";
import { fill, h, missing, setText, visible } from "./dom.js";
import { count, duration } from "./format.js";
import { plain } from "./table.js";

// The nodes of the cluster, as this one sees them, and its copies of the shards.

const bad = (wrong, text) => (wrong ? h("span", { class: "bad" }, text) : text);

function node(n) {
  const doing = [n.role, n.drained && "drained", n.left && "given up"].filter(Boolean).join(", ");
  const silent = n.alive ? "yes" : n.silence < 0 ? "no" : `no, silent for ${duration(Math.round(n.silence))}`;
  return [visible(n.name), bad(!n.alive, silent), doing, n.version || "", n.alive ? count(n.lag) : "", bad(n.problems?.length, (n.problems || []).join("; "))];
}

const shard = (s) => [s.shard, visible(s.owner), ...[s.epoch, s.place, s.durable, s.lag, s.trim, s.lane, s.doubts, s.refusals].map(count), bad(s.problem, s.problem || "")];

export function cluster(main) {
  const facts = h("p", { class: "facts", "aria-live": "polite" }), lack = h("div"), where = h("div"), wrong = h("div");
  const nodes = plain("Nodes", ["Node", "Alive", "Doing", "Version", "Records behind", "Problems"], [4]);
  const shards = plain("Shards", ["Shard", "Owner", "Epoch", "Record", "In tables", "Behind", "Trimmed to", "Lane", "Doubts", "Rejections", "Problem"], [2, 3, 4, 5, 6, 7, 8, 9]);
  const cards = h("div", {}, where, wrong,
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
      const text = server.following ? `This node follows. The jobs are at ${a.owner ? "node " + a.owner : "the node that will serve"}: open its console to see them.` : "";
      if (where.textContent !== text) fill(where, missing(text));
      const problems = (a.problems || []).join("; ");
      if (wrong.textContent !== problems) fill(wrong, problems && h("p", { class: "bad" }, problems));
      nodes.show(a.nodes.map(node));
      shards.show((a.shards || []).map(shard));
    },
  };
}
