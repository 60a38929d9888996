import { Branch, decode, Layer, unserialized } from "./decode.js";
import { h, fill, visible } from "./dom.js";

// A job's body in a form that its reader chooses. All of it is text.

function bytesOf(job) {
  if (job.text != null) return new TextEncoder().encode(job.text);
  return Uint8Array.from(atob(job.base64 || ""), (c) => c.charCodeAt(0));
}

function hex(bytes) {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, 4096); at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    lines.push(at.toString(16).padStart(8, "0") + "  " + row.map((b) => b.toString(16).padStart(2, "0")).join(" ").padEnd(49) +
      row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : ".")).join(""));
  }
  if (bytes.length > 4096) lines.push("…");
  return lines.join("\n");
}

// tree shows a value, folded below the second level. A text in a value that is JSON, PHP or
// base64 itself can be unfolded.
function tree(value, depth = 0) {
  if (value instanceof Layer) return tree(value.value, depth);
  if (value === null || typeof value !== "object") return leaf(value, depth);
  if (depth > DEEPEST) return h("span", { class: "quiet" }, "…");
  const branch = value instanceof Branch, list = branch ? value.list : Array.isArray(value);
  const entries = branch ? value.entries : Object.entries(value), [a, b] = list ? "[]" : "{}";
  const label = branch && value.label !== "array" ? [h("span", { class: "j-class" }, visible(value.label)), " "] : null;
  if (entries.length === 0) return h("span", {}, label, branch && label ? "" : a + b);
  return h("details", { open: depth < 2, class: "j" },
    h("summary", {}, label, a, h("span", { class: "quiet" }, ` ${entries.length} ${list ? "element" : "key"}${entries.length === 1 ? "" : "s"} `), b),
    h("ul", {}, entries.map(([k, v]) => h("li", {}, list ? null : [h("span", { class: "j-key" }, visible(k)), ": "], tree(v, depth + 1)))));
}

function leaf(value, depth) {
  const kind = value === null ? "null" : typeof value;
  if (kind !== "string") return h("span", { class: "j-" + kind }, String(value));
  const text = h("span", { class: "j-string" }, visible(JSON.stringify(value)));
  const layer = depth < DEEPEST ? decode(value) : undefined;
  if (layer === undefined || layer.form.startsWith("Base64") && value.length < 24) return text;
  return h("details", { class: "j" }, h("summary", {}, h("span", { class: "quiet" }, layer.form + " in a text ")), h("ul", {}, h("li", {}, tree(layer, depth + 1)), h("li", {}, text)));
}

const DEEPEST = 40;

// below names all layers below a text, from the outside in, and shows the innermost.
function below(text) {
  const names = [];
  let v = decode(text);
  for (; v instanceof Layer; v = v.value) names.push(v.form);
  return names.length ? [[names.join(", "), () => (typeof v === "string" ? h("pre", {}, visible(v)) : tree(v))]] : [];
}

// bodyView makes tabs for the forms in which the body can be shown.
export function bodyView(job) {
  const forms = [];
  if (job.text != null && !job.cut) forms.push(...below(job.text));
  const decoded = forms.length > 0 && !forms[0][0].startsWith("Base64"); // a word may look like base64
  if (job.text != null) forms.splice(decoded ? forms.length : 0, 0, ["Text", () => h("pre", {}, job.text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, visible))]);
  else if (!job.cut) {
    const php = unserialized(bytesOf(job));
    if (php !== undefined) forms.push(["PHP", () => tree(php)]);
  }
  forms.push(["Hex", () => h("pre", {}, hex(bytesOf(job)))]);
  const panel = h("div", { class: "body", tabindex: 0, role: "group", "aria-label": "Body of the job" });
  const buttons = forms.map(([label, make], i) => h("button", { type: "button", class: "tab", "aria-pressed": String(i === 0), onclick: (e) => {
    buttons.forEach((b) => b.setAttribute("aria-pressed", b === e.currentTarget));
    fill(panel, make());
  } }, label));
  fill(panel, forms[0][1]());
  return h("div", { class: "bodies" }, h("div", { class: "tabs", role: "group", "aria-label": "Show the body as" }, buttons, job.cut && h("span", { class: "quiet" }, "only the beginning")), panel);
}
