import { get, post } from "./api.js";
import { may, moveJobsDialog, putDialog, sampleDialog } from "./actions.js";
import { bodyView } from "./body.js";
import { ask, confirm, perform } from "./dialog.js";
import { fill, h, say, visible } from "./dom.js";
import { bytes, count, duration, moment, timeToRun } from "./format.js";

// One job with its figures, its body, and what can be done with it.

export function jobCard(job, label) {
  const facts = [
    ["Priority", count(job.pri)], ["Age", duration(job.age)], ["Time to run", timeToRun(job.ttr)],
    job.state === "delayed" && ["Ready in", duration(job.timeLeft)], job.state === "reserved" && ["Time left", duration(job.timeLeft)],
    job.delay > 0 && ["Delay", duration(job.delay)], ["Size", bytes(job.size)],
    ["Reserved", count(job.reserves)], ["Timeouts", count(job.timeouts)], ["Released", count(job.releases)], ["Buried", count(job.buries)], ["Kicked", count(job.kicks)],
  ].filter(Boolean);
  const id = { id: job.id };
  const renew = (ok) => ok && label === undefined && replace(card, job);
  // action names what the server is asked for, so that only those see the button who may do it.
  const button = (action, text, title, fn, kind = "") => (!action || may(job.can, action)) && h("button", { class: kind + (action ? " act" : ""), title, onclick: () => fn()?.then(renew) }, text);
  const view = h("div", {}, bodyView(job));
  const held = job.state === "reserved";
  const card = h("article", { class: "job", "data-state": job.state, "aria-label": `Job ${job.id}` },
    h("header", { class: "row" },
      h("h3", {}, label ? [h("span", { class: "state s-" + job.state }, label), " "] : h("span", { class: "state s-" + job.state }, job.state), " job ", h("span", { class: "id" }, job.id),
        label === undefined && job.showTube && [" in ", h("a", { href: "#/tube/" + encodeURIComponent(job.tube) }, visible(job.tube))]),
      h("div", { class: "row" },
        (job.state === "buried" || job.state === "delayed") && button("kick-job", "Make ready", "kick this job", () => perform(`Job ${job.id} is ready`, () => post("kick-job", id))),
        (job.state === "ready" || job.state === "delayed") && button("bury", "Bury", "no worker gets it until somebody kicks it", () => perform(`Job ${job.id} is buried`, () => post("bury", id))),
        !held && button("release", "Release", "give it another priority or delay", () => releaseDialog(job)),
        !held && button("move-job", "Move", "move it to another tube", () => moveJobsDialog([job])),
        button("put", "Copy", "put another one like it", () => whole(job).then((j) => (j.text == null ? say("a body that is no text cannot be edited here", true) : putDialog(job.tube, { ...j, delay: 0 })))),
        button("", "Keep", "keep it in this browser as a sample", () => whole(job).then((j) => (j.text == null ? say("only a job with a text body can be kept", true) : sampleDialog(j)))),
        !held && button("delete", "Delete", "end this job", async () => {
          return await ask(`Delete job ${job.id}?`, "It cannot be brought back.", "Delete") && perform(`Job ${job.id} is deleted`, () => post("delete", id));
        }, "danger"))),
    h("dl", { class: "jobfacts" }, facts.map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)))),
    job.been && h("ul", { class: "been", "aria-label": "where it has been" }, job.been.map((b) => h("li", {}, where(b)))),
    view, job.cut && h("button", { onclick: async (e) => { e.currentTarget.remove(); fill(view, bodyView(await whole(job))); } }, "Show all of it"));
  return card;
}

const causes = {
  reserves: "reserved too often", timeouts: "timed out too often", releases: "released too often", returns: "came back too often",
  expired: "too old", moved: "moved by somebody",
};

// where says in which tube a job has been a dead letter, or was moved from, when, why, and after how much.
const where = (b) => [
  `${moment(b.when)}: left `, h("a", { href: "#/tube/" + encodeURIComponent(b.tube) }, visible(b.tube)),
  `, ${causes[b.why] ?? visible(b.why)} (reserved ${count(b.reserves)}, timeouts ${count(b.timeouts)}, released ${count(b.releases)})`,
];

// replace shows what has become of a job in a list.
async function replace(card, job) {
  try {
    card.replaceWith(jobCard({ ...(await get("job", { id: job.id })), showTube: job.showTube }));
  } catch (e) {
    card.replaceWith(h("article", { class: "job none", "aria-label": `Job ${job.id}` }, e.status === 404 ? `Job ${job.id} has gone` : e.message));
  }
}

async function whole(job) {
  if (!job.cut) return job;
  try {
    return await get("job", { id: job.id });
  } catch (e) {
    say(e.message, true);
    return job;
  }
}

async function releaseDialog(job) {
  const pri = h("input", { type: "number", min: 0, max: 4294967295, required: true, value: job.pri });
  const delay = h("input", { type: "number", min: 0, max: 4294967295, required: true, value: 0 });
  const form = h("div", { class: "form three" }, h("label", {}, "Priority", pri), h("label", {}, "Delay, seconds", delay));
  if (!await confirm(`Release job ${job.id}`, form, "Release")) return;
  return perform(`Job ${job.id} is released`, () => post("release", { id: job.id, pri: Number(pri.value), delay: Number(delay.value) }));
}

// exportJobs offers a list of jobs as a file.
export function exportJobs(jobs, kind) {
  const keys = ["id", "tube", "state", "pri", "delay", "ttr", "age", "size", "reserves", "timeouts", "releases", "buries", "kicks", "text", "base64"];
  const cell = (v) => {
    let t = v == null ? "" : String(v);
    if (typeof v === "string" && /^[=+\-@\t\r]/.test(t)) t = "'" + t; // a spreadsheet would take it for a formula
    return `"${t.replaceAll('"', '""')}"`;
  };
  const text = kind === "csv"
    ? [keys.join(","), ...jobs.map((j) => keys.map((k) => cell(j[k])).join(","))].join("\r\n") + "\r\n"
    : jobs.map((j) => JSON.stringify(Object.fromEntries(keys.filter((k) => j[k] != null).map((k) => [k, j[k]])))).join("\n") + "\n";
  const url = URL.createObjectURL(new Blob([text], { type: kind === "csv" ? "text/csv" : "application/x-ndjson" }));
  h("a", { href: url, download: "jobs." + (kind === "csv" ? "csv" : "jsonl") }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
