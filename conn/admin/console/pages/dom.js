// Makes elements. Texts become text nodes, so no name and no body is ever read as HTML.

export function h(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  append(e, children);
  return e;
}

export function append(e, children) {
  for (const c of children.flat(9)) {
    if (c != null && c !== false) e.append(c instanceof Node ? c : document.createTextNode(String(c)));
  }
  return e;
}

export function fill(e, ...children) {
  e.replaceChildren();
  return append(e, children);
}

// setText changes a text only if it is another, so that nothing flickers.
export function setText(e, text) {
  if (e.textContent === text) return false;
  e.textContent = text;
  return true;
}

// visible shows control characters, which a name may have.
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

// missing is a sentence about what somebody may not see or do; nothing if it is "".
export const missing = (text) => text && h("p", { class: "missing" }, text);

let hush;
export function say(text, bad = false) {
  const e = document.getElementById("said");
  e.className = "said on" + (bad ? " bad" : "");
  e.textContent = text;
  clearTimeout(hush);
  hush = setTimeout(() => { e.className = "said"; }, bad ? 9000 : 5000);
}
