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

// tree shows a JSON value, folded below the second level.
function tree(value, depth = 0) {
  if (value === null || typeof value !== "object") {
    const kind = value === null ? "null" : typeof value;
    return h("span", { class: "j-" + kind }, kind === "string" ? visible(JSON.stringify(value)) : String(value));
  }
  const list = Array.isArray(value), entries = Object.entries(value), [a, b] = list ? "[]" : "{}";
  if (entries.length === 0) return h("span", {}, a + b);
  return h("details", { open: depth < 2, class: "j" },
    h("summary", {}, a, h("span", { class: "quiet" }, ` ${entries.length} ${list ? "element" : "key"}${entries.length === 1 ? "" : "s"} `), b),
    h("ul", {}, entries.map(([k, v]) => h("li", {}, list ? null : [h("span", { class: "j-key" }, visible(k)), ": "], tree(v, depth + 1)))));
}

function parsed(text) {
  try {
    const v = JSON.parse(text);
    return v !== null && typeof v === "object" ? v : undefined;
  } catch {
    return undefined;
  }
}

function decoded(text) {
  if (!/^[A-Za-z0-9+/\s]{8,}={0,2}\s*$/.test(text)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

// bodyView makes tabs for the forms in which the body can be shown.
export function bodyView(job) {
  const forms = [];
  const json = job.text != null && !job.cut ? parsed(job.text) : undefined;
  if (json !== undefined) forms.push(["JSON", () => tree(json)]);
  if (job.text != null) forms.push(["Text", () => h("pre", {}, job.text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, visible))]);
  const plain = job.text != null && !job.cut ? decoded(job.text) : undefined;
  if (plain !== undefined) {
    const inner = parsed(plain);
    forms.push(["Base64 decoded", () => (inner !== undefined ? tree(inner) : h("pre", {}, visible(plain)))]);
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
