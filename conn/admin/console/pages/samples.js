import { get, post } from "./api.js";
import { may, putDialog } from "./actions.js";
import { ask, progress } from "./dialog.js";
import { dropSample, samples as all } from "./samplestore.js";
import { fill, h, say, visible } from "./dom.js";
import { bytes, count, timeToRun } from "./format.js";
import { recall, keep } from "./store.js";
import { plain } from "./table.js";

// Jobs that this browser keeps, to be put once or as a batch.

const batchMost = 10_000;

export function samples(main) {
  const chosen = new Set();
  let allowed = true, refused = new Set(); // tubes into which this client may not put
  const times = h("input", { type: "number", min: 1, max: batchMost, required: true, value: recall("times", 1) });
  const put = h("button", { class: "primary act" }, "Put selected");
  const drop = h("button", { type: "button", class: "danger", onclick: async () => {
    const names = [...chosen];
    if (!await ask("Delete samples?", `${names.join(", ")}: only this browser has them.`, "Delete")) return;
    names.forEach(dropSample);
    chosen.clear();
    draw();
    say(`${count(names.length)} deleted`);
    main.focus({ preventScroll: true });
  } }, "Delete selected");
  const every = h("input", { type: "checkbox", "aria-label": "Select all samples", onchange: () => {
    all().forEach((s) => (every.checked ? chosen.add(s.name) : chosen.delete(s.name)));
    draw();
  } });
  const table = plain("Samples", [h("label", {}, every, "Name"), "Tube", "Priority", "Time to run", "Size", ""], [2, 3, 4]);

  function draw() {
    const list = all();
    table.show(list.map(row), "No samples yet. You can keep a job as a sample when you put it, or with its button Keep.");
    enable();
    every.checked = list.length > 0 && list.every((s) => chosen.has(s.name));
  }

  function enable() {
    drop.disabled = chosen.size === 0;
    put.disabled = drop.disabled || all().some((s) => chosen.has(s.name) && refused.has(s.tube));
    put.title = put.disabled && !drop.disabled ? "You may not put jobs into all of these tubes." : "";
  }

  function row(s) {
    const box = h("input", { type: "checkbox", "aria-label": "Select " + s.name, checked: chosen.has(s.name), onchange: () => {
      if (box.checked) chosen.add(s.name); else chosen.delete(s.name);
      enable();
    } });
    return [h("label", {}, box, visible(s.name)), visible(s.tube), count(s.pri), timeToRun(s.ttr), bytes(new TextEncoder().encode(s.text).length),
      allowed && !refused.has(s.tube) && h("button", { class: "act", "aria-label": `Look at ${s.name} and put it`, onclick: () => putDialog(s.tube, s).then(draw) }, "Put")];
  }

  // batch puts each selected sample as often as asked for, one after the other.
  async function batch() {
    const list = all().filter((s) => chosen.has(s.name)), n = Number(times.value), jobs = n * list.length;
    keep("times", n);
    let done = 0;
    await progress(`Put a batch of ${count(jobs)} job${jobs === 1 ? "" : "s"}`, async (signal) => {
      const s = list[done % list.length];
      await post("put", { tube: s.tube, data: s.text, pri: s.pri, delay: s.delay, ttr: s.ttr }, signal);
      done++;
      return { done, left: jobs - done };
    });
  }

  fill(main,
    h("div", { class: "head" }, h("h1", {}, "Samples"), h("p", { class: "facts" }, "Jobs that this browser keeps, to be put again.")),
    h("section", { class: "card" },
      table.element,
      h("form", { class: "row controls", onsubmit: (e) => { e.preventDefault(); batch(); } }, h("label", { class: "act" }, "Times", times), put, drop)));
  draw();
  // refresh hides what cannot be put: the tubes of samples may be others' by now.
  async function refresh(signal, { may: m }) {
    allowed = m.can.includes("put");
    times.parentElement.hidden = put.hidden = !allowed;
    const tubes = [...new Set(all().map((s) => s.tube))].slice(0, 200);
    const { can } = m.whole && allowed && !tubes.length ? { can: {} } : await get("rights", { tube: tubes }, signal);
    const next = new Set(tubes.filter((t) => !may(can[t], "put")));
    if (next.size === refused.size && [...next].every((t) => refused.has(t))) return;
    refused = next;
    draw();
  }
  return { title: "Samples", refresh };
}
