import { get, post } from "./api.js";
import { h, fill, missing, setText, visible } from "./dom.js";
import { bytes, count, duration, moment } from "./format.js";
import { ask, perform } from "./dialog.js";
import { plain } from "./table.js";

// The process and what is around it; shards and their logs.

const bad = (wrong, text) => (wrong ? h("span", { class: "bad" }, text) : text);

// soon is how many days before its end a certificate is told in red.
const soon = 14;

function certificate(c, now) {
  const left = (c.ends - now) / 1000;
  return [visible(c.file), c.face, moment(c.ends), bad(left < soon * 86400, left > 0 ? duration(left) : "has ended")];
}

// backup says how old the last copy of the data is.
function backup(disk, now) {
  if (!disk) return "none: jobs are in memory only";
  return disk.backup ? `${duration((now - disk.backup) / 1000)} old, in ${visible(disk.backups)}` : `none in ${visible(disk.backups)}`;
}

// machine are facts about the process. Its load is since the last answer; at first, since the start.
function machine(m, was, uptime) {
  const busy = was ? (m.processor - was.processor) * 1000 / Math.max(1, m.at - was.at) : m.processor / Math.max(1, uptime);
  return [
    ["Memory", bytes(m.memory)], ["Processor", `${Math.round(busy * 100)} % of ${count(m.processors * 100)} %`],
    ["Descriptors", bad(m.descriptors > 0.9 * m.mostDescriptors, `${count(m.descriptors)} of ${count(m.mostDescriptors)}`)],
    ["Connections", Object.entries(m.connections).map(([face, n]) => `${face} ${count(n)}`).join(", ")],
    ["Free disk", m.disk ? `${bytes(m.disk.free)} at ${visible(m.disk.path)}` : ""], ["Last backup", backup(m.disk, m.at)],
  ].filter(([, v]) => v !== "").map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)));
}

export function server(main) {
  const facts = h("p", { class: "facts" }), around = h("dl", { class: "jobfacts" }), before = [];
  const heads = ["Shard", "Load", "Turns/s", "Waiting batches", "Jobs", "Tubes", "Bodies in memory", "On disk only", "Log records", "Syncs", "Live data", "Disk", "Log"];
  const table = plain("Shards", heads, [...heads.keys()].slice(1, 12)), shards = h("section", { class: "card" }, h("h2", {}, "Shards and logs"), table.element);
  const listeners = plain("Listeners", ["Address", "Face", "TLS"]), certificates = plain("Certificates", ["Certificate", "Face", "Ends", "In"]);
  const secured = [h("h3", {}, "Certificates"), certificates.element];
  const process = h("section", { class: "card" }, h("h2", {}, "Process"), around,
    h("h3", {}, "Listeners"), listeners.element, ...secured);
  const lack = h("div"), drain = h("section", { class: "card act", hidden: true }, h("h2", {}, "Drain"),
    h("p", {}, "A server that drains refuses new jobs and goes on serving those that it has. This ends with the process only."),
    h("button", { class: "danger", onclick: async () => {
      if (await ask("Drain this server?", "From now on every put is answered DRAINING, until the server is started again.", "Drain")) {
        await perform("Drained", () => post("drain", {}));
      }
    } }, "Drain the server"));
  fill(main, h("div", { class: "head" }, h("h1", {}, "Server"), facts), lack, process, shards, drain);
  let was, shown = "";

  function row(s, i, at) {
    const was = before[i], ms = was ? at - was.at : 0;
    const load = ms > 0 ? Math.min(1, (s.busy - was.busy) / 1e6 / ms) : was?.load ?? 0;
    const turns = ms > 0 ? ((s.turns - was.turns) * 1000) / ms : was?.rate ?? 0;
    before[i] = { at, busy: s.busy, turns: s.turns, load, rate: turns };
    const log = s.error ? "failed: " + s.error : s.full ? "no room" : s.written || s.disk ? "ok" : "none (memory)";
    return [[h("span", { class: "phone" }, "Shard "), i], [h("meter", { min: 0, max: 1, high: 0.8, value: load.toFixed(3), "aria-label": "Load of shard " + i }), " " + Math.round(load * 100) + " %"],
      count(turns), count(s.mailbox), count(s.jobs), count(s.tubes), bytes(s.memory), bytes(s.outside), count(s.written), count(s.syncs), bytes(s.live), bytes(s.disk), bad(s.error || s.full, log)];
  }

  return {
    title: "Server",
    async refresh(signal, a) {
      process.hidden = !a.may.whole;
      shards.hidden = !a.may.whole || !!a.following;
      drain.hidden = !a.may.drain || a.draining;
      const text = a.may.whole ? "" : "The figures of the process, the shards and their logs need the right stats on all tubes.";
      if (lack.textContent !== text) fill(lack, missing(text));
      setText(facts, `version ${a.version} · up ${duration(a.uptime)}${a.draining ? " · draining: new jobs are refused" : ""}`);
      table.show((a.shards ?? []).map((s, i) => row(s, i, a.at)));
      if (!a.may.whole) return;
      const m = await get("server", {}, signal);
      fill(around, machine(m, was, a.uptime));
      was = m;
      const now = JSON.stringify([m.listeners, m.certificates, Math.floor(m.at / 60_000)]); // an hour that is left says its minutes
      if (now === shown) return;
      shown = now;
      listeners.show(m.listeners.map((l) => [visible(l.address), l.face, l.tls ? "yes" : "no"]));
      for (const e of secured) e.hidden = !m.certificates?.length;
      certificates.show((m.certificates ?? []).map((c) => certificate(c, m.at)));
    },
  };
}
