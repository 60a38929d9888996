import { get, post } from "./api.js";
import { h, say } from "./dom.js";
import { count } from "./format.js";
import { keep, recall } from "./store.js";

// Dialogs for what changes something, and the results.

const again = () => dispatchEvent(new Event("again"));

// show shows a dialog. closed is what it will be closed with.
function show(title, content, buttons) {
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" });
  const form = h("form", { method: "dialog" }, h("h2", { id: "dialog-title" }, title), content,
    h("div", { class: "row end" }, buttons.map(([label, value, kind]) => h("button", { value, class: kind || "", formnovalidate: value === "" }, label))));
  const before = document.activeElement;
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  const closed = new Promise((done) => dialog.addEventListener("close", () => {
    const value = dialog.returnValue;
    dialog.remove();
    restore(before);
    done(value);
  }));
  return { dialog, closed };
}

// restore gives the focus back to what had it, or to the page if that has gone.
function restore(before) {
  if (document.activeElement !== document.body) return;
  if (before?.isConnected && before !== document.body && !before.disabled) before.focus({ preventScroll: true });
  else document.getElementById("main").focus({ preventScroll: true });
}

// open shows a dialog, and returns what it was closed with.
export const open = (title, content, buttons) => show(title, content, buttons).closed;

export async function ask(title, text, verb) {
  return (await open(title, h("p", {}, text), [["Cancel", ""], [verb, "yes", "danger"]])) === "yes";
}

// perform does something, says how it went, and reports whether it did. What had the focus
// may go away with it, as the button of a job that is deleted.
export async function perform(text, fn) {
  const before = document.activeElement;
  addEventListener("drawn", () => restore(before), { once: true });
  try {
    const a = await fn();
    before?.closest("article.job")?.closest("section")?.focus({ preventScroll: true }); // the job may not be there any more
    say(typeof text === "function" ? text(a) : text);
    again();
    return true;
  } catch (e) {
    say(e.message, true);
    return false;
  }
}

const number = (label, value, max = 4294967295) => {
  const input = h("input", { type: "number", min: 0, max, required: true, value });
  return { input, element: h("label", {}, label, input) };
};

// putDialog puts a job, which may come from a sample and may become one.
export async function putDialog(tube, job = {}) {
  const name = h("input", { value: tube, required: true, maxlength: 200, spellcheck: "false", autocomplete: "off" });
  const data = h("textarea", { rows: 8, spellcheck: "false", autofocus: tube !== "" });
  data.value = job.text ?? "";
  const pri = number("Priority", job.pri ?? 1024), delay = number("Delay, seconds", job.delay ?? 0), ttr = number("Time to run, seconds", job.ttr ?? 60);
  const all = samples();
  const pick = h("select", { onchange: () => {
    const s = all[Number(pick.value)];
    if (!s) return;
    name.value = s.tube; data.value = s.text; pri.input.value = s.pri; delay.input.value = s.delay; ttr.input.value = s.ttr;
  } }, h("option", { value: "" }, "none"), all.map((s, i) => h("option", { value: i }, s.name)));
  const title = h("input", { placeholder: "leave empty to keep none", maxlength: 80 });
  const content = h("div", { class: "form" },
    all.length > 0 && h("label", {}, "Begin with a sample", pick),
    h("label", {}, "Tube", name), h("label", {}, "Data", data),
    h("div", { class: "three" }, pri.element, delay.element, ttr.element),
    h("label", {}, "Keep in this browser as a sample named", title));
  if (await open("Put a job", content, [["Cancel", ""], ["Put", "put", "primary"]]) !== "put") return;
  const job2 = { tube: name.value, data: data.value, pri: Number(pri.input.value), delay: Number(delay.input.value), ttr: Number(ttr.input.value) };
  if (title.value) {
    const { data: text, ...rest } = job2;
    keepSample({ name: title.value, text, ...rest });
  }
  await perform((a) => `Job ${a.id} is in ${job2.tube}`, () => post("put", job2));
}

// sampleDialog keeps a job as a sample.
export async function sampleDialog(job) {
  const title = h("input", { required: true, maxlength: 80, autofocus: true });
  const text = "It is kept in this browser, with its tube, priority and time to run.";
  if (await open(`Keep job ${job.id} as a sample`, h("div", { class: "form" }, h("p", {}, text), h("label", {}, "Name", title)), [["Cancel", ""], ["Keep", "yes", "primary"]]) !== "yes") return;
  keepSample({ name: title.value, tube: job.tube, text: job.text, pri: job.pri, delay: 0, ttr: job.ttr });
  say(`Kept as ${title.value}`);
}

export const samples = () => recall("samples", []);
export const keepSample = (sample) => keep("samples", [...samples().filter((s) => s.name !== sample.name), sample]);
export const dropSample = (name) => keep("samples", samples().filter((s) => s.name !== name));

export const kickAll = (tube) => many(`Kick all in ${tube}`, "kick", { tube, count: 0 });

// moveJobsDialog moves one or more jobs to another tube. It reports whether it has.
export async function moveJobsDialog(jobs) {
  const what = jobs.length === 1 ? `Move job ${jobs[0].id}` : `Move ${count(jobs.length)} jobs`;
  const to = h("input", { required: true, maxlength: 200, spellcheck: "false", autocomplete: "off" }), delay = number("Delay, seconds", 0);
  const text = "A moved job gets a new id. Without a delay here, it keeps what is left of its own.";
  if (await open(what, h("div", { class: "form" }, h("label", {}, "To tube (new or existing)", to), delay.element, h("p", {}, text)), [["Cancel", ""], ["Move", "yes", "primary"]]) !== "yes") return false;
  const say = (j) => ({ id: j.id, to: to.value, delay: Number(delay.input.value) });
  if (jobs.length === 1) return perform(`Job ${jobs[0].id} is in ${to.value}`, () => post("move-job", say(jobs[0])));
  return each(`Move to ${to.value}`, jobs, "move-job", say);
}

export async function deleteJobs(jobs) {
  return await ask(`Delete ${count(jobs.length)} jobs?`, "They cannot be brought back. Jobs that workers hold stay.", "Delete") && each("Delete", jobs, "delete", (j) => ({ id: j.id }));
}

// each does the same to each of the jobs. Those that have gone, or that somebody holds, are left out.
async function each(title, jobs, action, body) {
  let at = 0, done = 0;
  await progress(title, async (signal) => {
    if (at === jobs.length) return null;
    try {
      await post(action, body(jobs[at++]), signal);
      done++;
    } catch (e) {
      if (e.status !== 404) throw e;
    }
    return { done, left: jobs.length - at };
  });
  return true;
}

// purgeTubes deletes jobs of all tubes that a filter shows.
export async function purgeTubes(filter, found) {
  const states = chosen("", "Delete");
  const text = `This deletes the jobs of the ${count(found)} tube${found === 1 ? "" : "s"} that “${filter}” shows. They cannot be brought back. Jobs that workers hold stay.`;
  if (await open("Purge tubes", h("div", { class: "form" }, states.element, h("p", {}, text)), [["Cancel", ""], ["Delete them", "yes", "danger"]]) !== "yes" || !states.get().length) return;
  const names = [];
  for (let from = 0; ; from += 200) {
    const a = await get("tubes", { filter, from, n: 200 });
    names.push(...a.tubes.filter((t) => states.get().some((s) => t[s] > 0)).map((t) => t.name));
    if (from + a.tubes.length >= a.found || a.tubes.length === 0) break;
  }
  let done = 0;
  await progress(`Purge ${count(names.length)} tube${names.length === 1 ? "" : "s"}`, async (signal) => {
    if (done === names.length) return null;
    try {
      const a = await post("purge", { tube: names[done], states: states.get() }, signal);
      if (a.left === 0 || a.done === 0) done++;
    } catch (e) {
      if (e.status !== 404) throw e; // it has ended meanwhile
      done++;
    }
    return { done, left: names.length - done };
  });
}

export async function pauseDialog(tube) {
  const length = number("Seconds", recall("pause", 3600));
  if (await open(`Pause ${tube}`, h("div", { class: "form" }, h("p", {}, "No worker gets a job of it meanwhile."), length.element), [["Cancel", ""], ["Pause", "yes", "primary"]]) !== "yes") return;
  keep("pause", Number(length.input.value));
  await perform("Paused", () => post("pause", { tube, seconds: Number(length.input.value) }));
}

export async function kickDialog(tube) {
  const n = number("How many", recall("kick", 10));
  if (await open(`Kick jobs of ${tube}`, h("div", { class: "form" }, h("p", {}, "Buried jobs become ready or, if there are none, delayed ones."), n.element), [["Cancel", ""], ["Kick", "yes", "primary"]]) !== "yes") return;
  keep("kick", Number(n.input.value));
  if (Number(n.input.value) > 0) await kick(tube, Number(n.input.value));
}

export const kick = (tube, n) => perform((a) => (a.done === 1 ? "1 job is ready" : `${count(a.done)} jobs are ready`), () => post("kick", { tube, count: n }));

// progress shows how far something in parts has come, and lets its user stop it. part does the
// next part and returns {done, left, idle}: done so far, and null when there is nothing left.
export async function progress(title, part) {
  const stop = new AbortController();
  const bar = h("progress", { max: 1, "aria-label": title }), text = h("p", { "aria-live": "polite" }, "Beginning");
  let over = false;
  const { dialog, closed } = show(title, h("div", {}, bar, text), [["Stop", "stop"]]);
  closed.then(() => { if (!over) stop.abort(); });
  let done = 0, error;
  try {
    for (let a; !stop.signal.aborted && (a = await part(stop.signal));) {
      done = a.done;
      bar.max = done + a.left || 1;
      bar.value = done;
      text.textContent = `${count(done)} done, ${count(a.left)} to do`;
      if (a.left === 0) break;
    }
  } catch (e) {
    error = e;
  }
  over = true;
  dialog.close();
  await closed;
  if (error && error.name !== "AbortError") say(`${count(done)} done, then: ${error.message}`, true);
  else say(`${title}: ${count(done)} done${stop.signal.aborted ? ", then stopped" : ""}`);
  again();
}

// idleMost is how many parts in a row may do nothing before the work is given up.
const idleMost = 20;

// many asks the server for an action until it has nothing left to do.
export function many(title, action, body) {
  let done = 0, idle = 0;
  return progress(title, async (signal) => {
    if (idle === idleMost) return null;
    const a = await post(action, body, signal);
    done += a.done;
    idle = a.done === 0 ? idle + 1 : 0;
    if (a.state) body.states = [a.state]; // a kick goes on with the jobs that it has begun with
    return { done, left: a.left };
  });
}

const chosen = (tube, verb) => {
  const boxes = ["ready", "delayed", "buried"].map((s) => ({ s, box: h("input", { type: "checkbox", checked: s === "buried" }) }));
  return { element: h("fieldset", {}, h("legend", {}, `${verb} jobs that are`), boxes.map(({ s, box }) => h("label", {}, box, s))), get: () => boxes.filter((b) => b.box.checked).map((b) => b.s) };
};

export async function purgeDialog(tube) {
  const states = chosen(tube, "Delete");
  if (await open(`Purge ${tube}`, h("div", { class: "form" }, states.element, h("p", {}, "They cannot be brought back. Jobs that workers hold stay.")), [["Cancel", ""], ["Delete them", "yes", "danger"]]) !== "yes") return;
  if (states.get().length) await many(`Purge of ${tube}`, "purge", { tube, states: states.get() });
}

export async function moveDialog(tube) {
  const states = chosen(tube, "Move");
  const to = h("input", { required: true, maxlength: 200, spellcheck: "false", autocomplete: "off" });
  const text = "They get new ids, and keep priority, time to run and what is left of their delay. Buried jobs become ready.";
  if (await open(`Move jobs of ${tube}`, h("div", { class: "form" }, states.element, h("label", {}, "To tube (new or existing)", to), h("p", {}, text)), [["Cancel", ""], ["Move them", "yes", "primary"]]) !== "yes") return;
  if (states.get().length) await many(`Move to ${to.value}`, "move", { tube, to: to.value, states: states.get() });
}
