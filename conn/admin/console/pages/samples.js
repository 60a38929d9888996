import { post } from "./api.js";
import { ask, dropSample, progress, putDialog, samples as all } from "./actions.js";
import { fill, h, say, visible } from "./dom.js";
import { bytes, count, duration } from "./format.js";
import { recall, keep } from "./store.js";

// Jobs that this browser keeps, to be put once or as a batch.

const batchMost = 10_000;

export function samples(main) {
  const body = h("tbody"), chosen = new Set();
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

  function draw() {
    const list = all();
    fill(body, list.length ? list.map(row) : h("tr", {}, h("td", { colspan: 7, class: "none" }, "No samples yet. You can keep a job as a sample when you put it, or with its button Keep.")));
    put.disabled = drop.disabled = chosen.size === 0;
    every.checked = list.length > 0 && list.every((s) => chosen.has(s.name));
  }

  function row(s) {
    const box = h("input", { type: "checkbox", "aria-label": "Select " + s.name, checked: chosen.has(s.name), onchange: () => {
      if (box.checked) chosen.add(s.name); else chosen.delete(s.name);
      put.disabled = drop.disabled = chosen.size === 0;
    } });
    return h("tr", {}, h("td", {}, box), h("th", { scope: "row" }, visible(s.name)), h("td", {}, visible(s.tube)),
      h("td", { class: "n" }, count(s.pri)), h("td", { class: "n" }, duration(s.ttr)), h("td", { class: "n" }, bytes(new TextEncoder().encode(s.text).length)),
      h("td", {}, h("button", { class: "act", "aria-label": `Look at ${s.name} and put it`, onclick: () => putDialog(s.tube, s).then(draw) }, "Put")));
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
      h("div", { class: "scroll" }, h("table", { "aria-label": "Samples" },
        h("thead", {}, h("tr", {}, h("td", {}, every), ["Name", "Tube", "Priority", "Time to run", "Size", ""].map((t, i) => (t ? h("th", { scope: "col", class: i > 1 ? "n" : "" }, t) : h("td"))))), body)),
      h("form", { class: "row controls", onsubmit: (e) => { e.preventDefault(); batch(); } }, h("label", { class: "act" }, "Times", times), put, drop)));
  draw();
  return { title: "Samples", refresh() {} };
}
