import { post } from "./api.js";
import { h, say } from "./dom.js";
import { count } from "./format.js";

// Dialogs, and the results of what they ask for. The button that confirms is the only one that
// submits, so that Enter in a field means it. Escape and Cancel change nothing.

export const again = () => dispatchEvent(new Event("again"));

// show shows a dialog. closed is what it will be closed with.
function show(title, content, buttons, submit = () => {}) {
  const form = h("form", { onsubmit: (e) => { e.preventDefault(); submit(); }, onkeydown: (e) => {
    if (e.key === "Enter" && e.repeat) e.preventDefault(); // the key that opened the dialog is still held down
  } }, h("h2", { id: "dialog-title" }, title), content, h("div", { class: "row end" }, buttons));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  const before = document.activeElement;
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
  if (before?.isConnected && before !== document.body && !before.disabled && before.checkVisibility()) before.focus({ preventScroll: true });
  else document.getElementById("main").focus({ preventScroll: true });
}

// confirm asks for something, and reports whether its user wants it. check returns why that
// cannot be, as a text: then the dialog stays open and says it. live is called when the dialog
// opens, when something in it changes, and when the page has been drawn anew: it shows how many
// jobs there are, and reports whether there is anything to do.
export async function confirm(title, content, verb, { kind = "primary", check, live } = {}) {
  const wrong = h("p", { class: "bad", role: "alert", hidden: true });
  const yes = h("button", { class: kind }, verb), no = h("button", { type: "button", onclick: () => busy || dialog.close("") }, "Cancel");
  let busy = false;
  const { dialog, closed } = show(title, [content, wrong], [no, yes], async () => {
    if (busy) return;
    busy = true;
    const reason = await check?.();
    busy = false;
    if (!reason) return dialog.close("yes");
    wrong.hidden = false;
    wrong.textContent = reason;
    dialog.querySelector("input, textarea")?.focus();
  });
  const over = new AbortController();
  const refresh = () => { if (live) yes.disabled = !live(); };
  dialog.addEventListener("cancel", (e) => { if (busy) e.preventDefault(); }); // what has been sent cannot be called back
  dialog.addEventListener("input", () => { wrong.hidden = true; refresh(); });
  addEventListener("drawn", refresh, { signal: over.signal });
  closed.then(() => over.abort());
  refresh();
  const field = dialog.querySelector("[autofocus]") || dialog.querySelector("input, textarea, select");
  (field || (yes.disabled ? no : yes)).focus();
  if (field?.type === "number") field.select();
  if (live) again();
  return (await closed) === "yes";
}

// attempt does something and returns why that did not work, for a dialog that then stays open.
export async function attempt(fn) {
  try {
    await fn();
    return "";
  } catch (e) {
    return e.message;
  }
}

export const ask = (title, text, verb) => confirm(title, h("p", {}, text), verb, { kind: "danger" });

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

// progress shows how far something in parts has come, and lets its user stop it. part does the
// next part and returns {done, left, idle}: done so far, and null when there is nothing left.
export async function progress(title, part) {
  const stop = new AbortController();
  const bar = h("progress", { max: 1, "aria-label": title }), text = h("p", { "aria-live": "polite", tabindex: "-1" }, "Beginning");
  let over = false;
  const { dialog, closed } = show(title, h("div", {}, bar, text), h("button", { type: "button", onclick: () => dialog.close("stop") }, "Stop"));
  text.focus(); // not the button: a second Enter would stop what the first has begun
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
    return { done, left: a.left };
  });
}

// each does the same to each of the jobs. Those that have gone, or that somebody holds, are left out.
export async function each(title, jobs, action, body) {
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
