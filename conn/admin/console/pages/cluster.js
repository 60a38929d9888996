import { get } from "./api.js";
import { fill, h, missing, setText, visible } from "./dom.js";
import { count, duration } from "./format.js";

// The nodes of the cluster, as this one sees them, and its copies of the shards.

const nodeHeads = ["Node", "Alive", "Doing", "Version", "Records behind", "Problems"];
const shardHeads = ["Shard", "Owner", "Epoch", "Record", "In tables", "Behind", "Trimmed to", "Lane", "Doubts", "Rejections", "Problem"];

function table(label, heads, body, numbers) {
  return h("div", { class: "scroll" }, h("table", { "aria-label": label, class: "cards", role: "table" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads.map((t, i) => h("th", { scope: "col", role: "columnheader", class: numbers.has(i) ? "n" : "" }, t)))), body));
}

function row(heads, numbers, first, cells, bad) {
  return h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, first),
    cells.map((c, i) => h("td", { role: "cell", class: (numbers.has(i + 1) ? "n" : "") + (bad.has(i + 1) ? " bad" : ""), "data-label": heads[i + 1] }, c)));
}

function node(n) {
  const doing = [n.role, n.drained && "drained", n.left && "given up"].filter(Boolean).join(", ");
  const silent = n.alive ? "yes" : n.silence < 0 ? "no" : `no, silent for ${duration(Math.round(n.silence))}`;
  return row(nodeHeads, new Set([4]), visible(n.name), [silent, doing, n.version || "", n.alive ? count(n.lag) : "", (n.problems || []).join("; ")],
    new Set([...(n.alive ? [] : [1]), ...(n.problems?.length ? [5] : [])]));
}

const shardNumbers = new Set([2, 3, 4, 5, 6, 7, 8, 9]);

function shard(s) {
  return row(shardHeads, shardNumbers, s.shard, [visible(s.owner), ...[s.epoch, s.place, s.durable, s.lag, s.trim, s.lane, s.doubts, s.refusals].map(count), s.problem || ""],
    new Set(s.problem ? [10] : []));
}

export function cluster(main) {
  const facts = h("p", { class: "facts", "aria-live": "polite" }), nodes = h("tbody", { role: "rowgroup" }), shards = h("tbody", { role: "rowgroup" });
  const where = h("div"), wrong = h("div");
  fill(main, h("div", { class: "head" }, h("h1", {}, "Cluster"), facts), where, wrong,
    h("section", { class: "card" }, h("h2", {}, "Nodes"), table("Nodes", nodeHeads, nodes, new Set([4]))),
    h("section", { class: "card" }, h("h2", {}, "Shards at this node"), table("Shards", shardHeads, shards, shardNumbers)));
  return {
    title: "Cluster",
    async refresh(signal, server) {
      const a = await get("cluster", {}, signal);
      setText(facts, `${a.cluster} · this is node ${a.node} · ${a.owner ? `node ${a.owner} serves` : "no node serves now"}`);
      const text = server.following ? `This node follows. The jobs are at ${a.owner ? "node " + a.owner : "the node that will serve"}: open its console to see them.` : "";
      if (where.textContent !== text) fill(where, missing(text));
      const problems = (a.problems || []).join("; ");
      if (wrong.textContent !== problems) fill(wrong, problems && h("p", { class: "bad" }, problems));
      fill(nodes, a.nodes.map(node));
      fill(shards, (a.shards || []).map(shard));
    },
  };
}
