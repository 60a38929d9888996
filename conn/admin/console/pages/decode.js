// Finds out what a text is: JSON, what PHP's serialize has made, or base64 of one of them or
// of a text. What is found is data for a tree; nothing of it is ever run.

const DEEPEST = 64, LAYERS = 4;
const utf8 = new TextDecoder("utf-8", { fatal: true }), lenient = new TextDecoder();

// Branch is a value with entries that is no JavaScript object: an array or object of PHP's.
export class Branch {
  constructor(label, entries, list = false) { Object.assign(this, { label, entries, list }); }
}

// Layer is a text that has another form below: what it is called, and its value.
export class Layer {
  constructor(form, value) { Object.assign(this, { form, value }); }
}

// decode returns the layer below a text, or undefined if there is none.
export function decode(text, left = LAYERS) {
  if (left === 0 || text.length < 4) return undefined;
  const json = parsed(text);
  if (json !== undefined) return new Layer("JSON", json);
  const php = unserialized(new TextEncoder().encode(text.trim()));
  if (php !== undefined) return new Layer("PHP", php);
  const bytes = fromBase64(text);
  if (bytes === undefined) return undefined;
  const inner = unserialized(bytes);
  if (inner !== undefined) return new Layer("Base64 decoded", new Layer("PHP", inner));
  try {
    const plain = utf8.decode(bytes);
    if (/[\u0000-\u0008\u000e-\u001f]/.test(plain)) return undefined; // an id or a hash rather than a text
    return new Layer("Base64 decoded", decode(plain, left - 1) ?? plain);
  } catch {
    return undefined;
  }
}

function parsed(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fromBase64(text) {
  const t = text.replace(/\s+/g, "");
  if (t.length < 8 || t.length % 4 === 1 || !/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/.test(t)) return undefined;
  try {
    return Uint8Array.from(atob(t.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

// unserialized reads the form of PHP's serialize, which counts bytes. It returns undefined for
// all that is not completely in this form, and for what is only a number or a truth value.
export function unserialized(bytes) {
  if (!/^[aOCsE]:\d/.test(lenient.decode(bytes.subarray(0, 8)))) return undefined;
  const r = new Reader(bytes);
  try {
    const value = r.value(0);
    return r.at === bytes.length ? value : undefined;
  } catch {
    return undefined;
  }
}

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }

  want(text) {
    for (const c of text) if (this.bytes[this.at++] !== c.charCodeAt(0)) throw new Error("not in this form");
  }

  // until reads a short word that ends with a character.
  until(end) {
    const from = this.at;
    while (this.bytes[this.at] !== end.charCodeAt(0)) if (this.at++ - from > 32 || this.at >= this.bytes.length) throw new Error("no end");
    return lenient.decode(this.bytes.subarray(from, this.at++));
  }

  count() {
    const n = this.until(":");
    if (!/^\d{1,9}$/.test(n)) throw new Error("not a number");
    return Number(n);
  }

  // text reads a text with its length and quotes.
  text() {
    const n = this.count();
    this.want('"');
    const b = this.bytes.subarray(this.at, this.at += n);
    if (b.length < n) throw new Error("too short");
    this.want('"');
    return lenient.decode(b);
  }

  value(depth) {
    if (depth > DEEPEST) throw new Error("too deep");
    const kind = String.fromCharCode(this.bytes[this.at++]);
    if (kind === "N") return this.want(";"), null;
    this.want(":");
    switch (kind) {
      case "b": return this.until(";") === "1";
      case "i": return this.number(/^[+-]?\d+$/);
      case "d": return this.number(/^[+-]?(\d|\.\d|INF|NAN|INF)/);
      case "r": case "R": return new Branch(`the same as value ${this.number(/^\d+$/)}`, []);
      case "s": return this.ended(this.text());
      case "E": return this.ended(new Branch("case " + this.text(), []));
      case "a": return this.entries("array", depth);
      case "O": return this.entries(this.name(), depth);
      case "C": return this.custom();
    }
    throw new Error("no such kind");
  }

  ended(value) { this.want(";"); return value; }

  name() { const t = this.text(); this.want(":"); return t; }

  // number keeps whole numbers that JavaScript would round as texts.
  number(form) {
    const t = this.until(";");
    if (!form.test(t)) throw new Error("not a number");
    return Number.isFinite(Number(t)) && String(Number(t)) === t ? Number(t) : new Branch(t, []);
  }

  entries(label, depth) {
    const n = this.count(), entries = [];
    this.want("{");
    for (let i = 0; i < n; i++) {
      const key = this.value(DEEPEST);
      entries.push([scoped(key instanceof Branch ? key.label : String(key)), this.value(depth + 1)]);
    }
    this.want("}");
    return new Branch(label, entries, label === "array" && entries.every(([k], i) => k === String(i)));
  }

  // custom is an object that writes itself; its form is unknown.
  custom() {
    const name = this.name(), n = this.count();
    this.want("{");
    const b = this.bytes.subarray(this.at, this.at += n);
    this.want("}");
    return new Branch(name, [["data", lenient.decode(b)]]);
  }
}

// scoped words the names of properties: PHP puts the class before those that are private.
function scoped(key) {
  const m = /^\u0000(.+?)\u0000(.*)$/s.exec(key);
  if (!m) return key;
  return m[1] === "*" ? m[2] + " (protected)" : `${m[2]} (private to ${m[1]})`;
}
