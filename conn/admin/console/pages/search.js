import { get } from "./api.js";
import { deleteJobs, may, moveJobsDialog } from "./actions.js";
import { fill, h, missing, say } from "./dom.js";
import { count } from "./format.js";
import { exportJobs, jobCard } from "./job.js";
import { keep, recall } from "./store.js";

// Jobs of a tube in a list: the first of a state, or those whose body has a text.

export function search(main) {
  const total = { jobs: 0 };
  const lack = h("div"), form = finder("", total);
  fill(main, h("div", { class: "head" }, h("h1", {}, "Search"), h("p", { class: "facts" }, "Looks through the bodies of jobs, and changes nothing.")), lack, form);
  return { title: "Search", refresh(signal, { total: t, may: m }) {
    total.jobs = t.ready + t.reserved + t.delayed + t.buried;
    form.hidden = !m.can.includes("peek");
    const text = form.hidden ? "You see no jobs: that needs the right peek on a tube." : m.whole ? "" : "The search finds jobs of the tubes on which you have the right peek.";
    if (lack.textContent !== text) fill(lack, missing(text));
  } };
}

// finder finds jobs of a tube, or of all tubes and those that a pattern fits: then total has how
// many jobs there are.
export function finder(tube, total) {
  const name = h("input", { value: tube, placeholder: "all, or for example *.retry", maxlength: 200, spellcheck: "false", autocomplete: "off" });
  const state = h("select", {}, ["ready", "delayed", "buried", "reserved", "all"].map((s) => h("option", { selected: !tube && s === "all" }, s)));
  const text = h("input", { type: "search", placeholder: "any", spellcheck: "false" });
  const limit = h("select", {}, [10, 20, 50, 100].map((n) => h("option", { value: n, selected: n === recall("limit", 20) }, n)));
  const bar = h("progress", { hidden: true, "aria-label": "Jobs looked at" });
  const list = h("div", { class: "jobs" }), result = h("p", { class: "facts", "aria-live": "polite" });
  const more = h("button", { hidden: true }, "More"), stopper = h("button", { hidden: true }, "Stop");
  const mover = h("button", { class: "act", onclick: () => all(moveJobsDialog) }, "Move these"), remover = h("button", { class: "act danger", onclick: () => all(deleteJobs) }, "Delete these");
  const files = h("span", { class: "row", hidden: true }, h("button", { onclick: () => exportJobs(jobs, "jsonl") }, "Save as JSON lines"), h("button", { onclick: () => exportJobs(jobs, "csv") }, "Save as CSV"),
    mover, remover);
  // all does something to all jobs of the list, which then lists anew.
  const all = (fn) => fn(jobs).then((did) => did && look(true));
  let jobs = [], from = 0, looked = 0, begin = false, control;
  stopper.onclick = () => control.abort();

  async function look(first) {
    control?.abort();
    const mine = control = new AbortController();
    if (first) from = 0;
    if (first || begin) { jobs = []; looked = 0; fill(list); }
    begin = false;
    keep("limit", Number(limit.value));
    more.hidden = true; stopper.hidden = false;
    const n = Number(limit.value), one = tube || (name.value.includes("*") ? "" : name.value.trim());
    bar.hidden = one !== "";
    let found = 0, ordered = one !== "" && first && !text.value && !["reserved", "all"].includes(state.value);
    try {
      do {
        const a = await get("jobs", { tube: one, filter: one ? "" : name.value.trim(), state: state.value, find: text.value, from, n: n - found }, mine.signal);
        found += a.jobs.length; looked += a.looked; from = a.next;
        jobs.push(...a.jobs);
        for (const j of a.jobs) list.append(jobCard({ ...j, showTube: !tube }));
        bar.max = Math.max(total?.jobs ?? 0, looked, 1);
        bar.value = looked;
        result.textContent = ordered ? `The first ${count(jobs.length)}` : `${count(jobs.length)} found, ${count(looked)} looked at`;
      } while (from !== 0 && found < n);
      if (ordered && found === n) { // what is behind them has no order
        from = 1;
        begin = true;
      }
    } catch (e) {
      if (mine.signal.aborted && control !== mine) return;
      if (e.name !== "AbortError") say(e.message, true);
      else result.textContent = `${count(jobs.length)} found, ${count(looked)} looked at, stopped`;
    }
    stopper.hidden = bar.hidden = true;
    files.hidden = jobs.length === 0;
    mover.hidden = !jobs.every((j) => may(j.can, "move-job"));
    remover.hidden = !jobs.every((j) => may(j.can, "delete"));
    more.hidden = from === 0;
    more.textContent = begin ? "List all of them, in no order" : "More";
    if (jobs.length === 0 && from === 0 && !mine.signal.aborted) result.textContent = looked ? `No such job among ${count(looked)}` : "No such job";
  }
  more.onclick = () => look(false);
  return h("section", { class: "card", tabindex: "-1", "aria-label": "Found jobs" }, h("h2", {}, tube ? "Jobs" : "Jobs of one tube or of all"),
    h("form", { class: "row controls", onsubmit: (e) => { e.preventDefault(); look(true); } },
      !tube && h("label", {}, "Tube", name), h("label", {}, "State", state), h("label", {}, "Body contains", text), h("label", {}, "At most", limit),
      h("button", { class: "primary" }, "Show")),
    h("div", { class: "row" }, result, bar, stopper, files), list, more);
}
