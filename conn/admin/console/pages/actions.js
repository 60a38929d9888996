import { get, post } from "./api.js";
import { ask, attempt, confirm, each, many, perform, progress } from "./dialog.js";
import { h, say } from "./dom.js";
import { count } from "./format.js";
import { keepSample, samples } from "./samplestore.js";
import { keep, recall } from "./store.js";

// What changes something, and asks before. figures is a function that returns how many jobs a
// tube has in each state, as the page knows it at the moment.

const number = (label, value, max = 4294967295, min = 0) => {
  const input = h("input", { type: "number", min, max, required: true, value });
  return { input, get: () => Number(input.value), element: h("label", {}, label, input) };
};

export const jobs = (n) => `${count(n)} job${n === 1 ? "" : "s"}`;

// misnamed says what is wrong with a tube's name, as the server would.
export function misnamed(name) {
  if (/^[A-Za-z0-9+/;.$_()][-A-Za-z0-9+/;.$_()]{0,199}$/.test(name)) return "";
  return "A tube's name has 1 to 200 letters, digits and -+/;.$_(), and does not begin with -.";
}

const tubeField = (label, value = "") => {
  const input = h("input", { value, required: true, maxlength: 200, spellcheck: "false", autocomplete: "off", autofocus: value === "" });
  return { input, get: () => input.value.trim(), wrong: (not) => misnamed(input.value.trim()) || (input.value.trim() === not ? "The jobs are in this tube already." : ""), element: h("label", {}, label, input) };
};

const form = (...content) => h("div", { class: "form" }, content);

// putDialog puts a job, which may come from a sample and may become one. If the server refuses
// it, what was typed is still there.
export async function putDialog(tube, job = {}) {
  const name = tubeField("Tube", tube), data = h("textarea", { rows: 8, spellcheck: "false", autofocus: tube !== "" });
  data.value = job.text ?? "";
  const pri = number("Priority", job.pri ?? 1024), delay = number("Delay, seconds", job.delay ?? 0), ttr = number("Time to run, seconds", job.ttr ?? 60);
  const all = samples();
  const pick = h("select", { onchange: () => {
    const s = all[Number(pick.value)];
    if (!s) return;
    name.input.value = s.tube; data.value = s.text; pri.input.value = s.pri; delay.input.value = s.delay; ttr.input.value = s.ttr;
  } }, h("option", { value: "" }, "none"), all.map((s, i) => h("option", { value: i }, s.name)));
  const title = h("input", { placeholder: "leave empty to keep none", maxlength: 80 });
  const said = () => ({ tube: name.get(), data: data.value, pri: pri.get(), delay: delay.get(), ttr: ttr.get() });
  let made;
  const put = await confirm("Put a job", form(
    all.length > 0 && h("label", {}, "Begin with a sample", pick),
    name.element, h("label", {}, "Data", data),
    h("div", { class: "three" }, pri.element, delay.element, ttr.element),
    h("label", {}, "Keep in this browser as a sample named", title)), "Put",
  { check: () => name.wrong() || attempt(async () => { made = await post("put", said()); }) });
  if (!put) return;
  if (title.value) {
    const { data: text, ...rest } = said();
    keepSample({ name: title.value, text, ...rest });
  }
  await perform(`Job ${made.id} is in ${name.get()}`, async () => {});
}

// sampleDialog keeps a job as a sample.
export async function sampleDialog(job) {
  const title = h("input", { required: true, maxlength: 80, autofocus: true });
  const text = "It is kept in this browser, with its tube, priority and time to run.";
  if (!await confirm(`Keep job ${job.id} as a sample`, form(h("p", {}, text), h("label", {}, "Name", title)), "Keep")) return;
  keepSample({ name: title.value, tube: job.tube, text: job.text, pri: job.pri, delay: 0, ttr: job.ttr });
  say(`Kept as ${title.value}`);
}

// moveJobsDialog moves one or more jobs to another tube. It reports whether it has.
export async function moveJobsDialog(list) {
  const what = list.length === 1 ? `Move job ${list[0].id}` : `Move ${jobs(list.length)}`;
  const to = tubeField("To tube (new or existing)"), delay = number("Delay, seconds", 0);
  const body = (j) => ({ id: j.id, to: to.get(), delay: delay.get() });
  const tube = list.every((j) => j.tube === list[0].tube) ? list[0].tube : "";
  const text = "A job keeps its id. Without a delay here, it keeps what is left of its own.";
  const one = list.length === 1;
  const check = () => to.wrong(tube) || (one ? attempt(() => post("move-job", body(list[0]))) : "");
  if (!await confirm(what, form(to.element, delay.element, h("p", {}, text)), "Move", { check })) return false;
  return one ? perform(`Job ${list[0].id} is in ${to.get()}`, async () => {}) : each(`Move to ${to.get()}`, list, "move-job", body);
}

export async function deleteJobs(list) {
  return await ask(`Delete ${jobs(list.length)}?`, "They cannot be brought back. Jobs that workers hold stay.", "Delete") && each("Delete", list, "delete", (j) => ({ id: j.id }));
}

// chosen are boxes for the states of jobs. Those that hold buried jobs begin with these; others
// with all that they hold.
function chosen(verb, figures) {
  const now = figures();
  const boxes = ["ready", "delayed", "buried"].map((s) => {
    const box = h("input", { type: "checkbox", checked: now[s] > 0 && (s === "buried" || !now.buried) }), n = h("span", { class: "quiet" });
    return { s, box, n, element: h("label", {}, box, s, n) };
  });
  const sum = h("p", { class: "sum", "aria-live": "polite" });
  const get = () => boxes.filter((b) => b.box.checked).map((b) => b.s);
  return {
    element: [h("fieldset", {}, h("legend", {}, `${verb} jobs that are`), boxes.map((b) => b.element)), sum], get,
    live() {
      const t = figures(), n = get().reduce((all, s) => all + t[s], 0);
      for (const b of boxes) b.n.textContent = count(t[b.s]);
      sum.textContent = n > 0 ? `${verb} ${jobs(n)}, and those that come meanwhile.` : get().length ? "There are no such jobs." : "Choose which.";
      return n > 0;
    },
  };
}

export async function purgeDialog(tube, figures) {
  const states = chosen("Delete", figures);
  const text = "They cannot be brought back. Jobs that workers hold stay.";
  if (await confirm(`Purge ${tube}`, form(states.element, h("p", {}, text)), "Delete them", { kind: "danger", live: states.live })) await many(`Purge of ${tube}`, "purge", { tube, states: states.get() });
}

export async function moveDialog(tube, figures) {
  const states = chosen("Move", figures), to = tubeField("To tube (new or existing)");
  const text = "They keep their ids and what is left of their delay. Buried jobs become ready.";
  const content = form(states.element, to.element, h("p", {}, text));
  if (await confirm(`Move jobs of ${tube}`, content, "Move them", { check: () => to.wrong(tube), live: states.live })) await many(`Move to ${to.get()}`, "move", { tube, to: to.get(), states: states.get() });
}

// purgeTubes deletes jobs of all tubes that a filter shows and of which this client may delete.
export async function purgeTubes(filter, found, figures) {
  const states = chosen("Delete", figures);
  const text = `These are the jobs of the ${count(found)} tube${found === 1 ? "" : "s"} that “${filter}” shows. They cannot be brought back. Jobs that workers hold stay.`;
  if (!await confirm("Purge tubes", form(states.element, h("p", {}, text)), "Delete them", { kind: "danger", live: states.live })) return;
  const names = [];
  for (let from = 0; ; from += 200) {
    const a = await get("tubes", { filter, from, n: 200 });
    names.push(...a.tubes.filter((t) => may(t.can, "purge") && states.get().some((s) => t[s] > 0)).map((t) => t.name));
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

// may says whether a list of what can be done has an action. Without a list everything can be.
export const may = (can, action) => !can || can.includes(action);

export async function pauseDialog(tube, figures) {
  const length = number("Seconds", recall("pause", 3600), undefined, 1), text = h("p");
  const live = () => {
    const t = figures();
    text.textContent = `No worker gets a job of it meanwhile: ${jobs(t.ready)} ${t.ready === 1 ? "is" : "are"} ready. Those that workers hold (${count(t.reserved)}) go on.`;
    return true;
  };
  const check = () => attempt(() => post("pause", { tube, seconds: length.get() }));
  if (!await confirm(`Pause ${tube}`, form(text, length.element), "Pause", { live, check })) return;
  keep("pause", length.get());
  await perform("Paused", async () => {});
}

// kicked are the jobs that a kick takes: the buried ones or, if there are none, the delayed ones.
const kicked = (t) => (t.buried > 0 ? "buried" : "delayed");

// kickWords say what a kick does. It is told which state it is for: if the last buried job goes
// while somebody reads this, the delayed ones do not follow.
function kickWords(figures, most) {
  const state = kicked(figures()), text = h("p", { "aria-live": "polite" });
  return { state, text, live() {
    const t = figures(), n = Math.min(t[state], most?.() ?? Infinity);
    text.textContent = t[state] > 0 ? `${n < t[state] ? count(n) + " of" : "The"} ${count(t[state])} ${state} job${t[state] === 1 ? "" : "s"} will be ready.${state === "delayed" ? " No job is buried." : ""}`
      : state === "buried" ? "There are no buried jobs any more." : "No job is buried or delayed.";
    return t[state] > 0;
  } };
}

export async function kickDialog(tube, figures) {
  const n = number("How many", recall("kick", 10), undefined, 1), words = kickWords(figures, n.get);
  if (!await confirm(`Kick jobs of ${tube}`, form(words.text, n.element), "Kick", { live: words.live })) return;
  keep("kick", n.get());
  await kick(tube, n.get(), words.state);
}

export async function kickAll(tube, figures) {
  const words = kickWords(figures);
  if (await confirm(`Kick all in ${tube}`, form(words.text), "Kick all of them", { live: words.live })) await many(`Kick all in ${tube}`, "kick", { tube, count: 0, states: [words.state] });
}

export const kickOne = (tube, figures) => kick(tube, 1, kicked(figures()));

const kick = (tube, n, state) => perform((a) => (a.done === 1 ? "1 job is ready" : `${count(a.done)} jobs are ready`), () => post("kick", { tube, count: n, states: [state] }));
