import { early } from "./early.js";

// Asks the server.

export class Refused extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

async function answer(response) {
  const kind = response.headers.get("Content-Type") || "";
  if (kind.startsWith("application/json")) {
    const body = await response.json();
    if (response.ok) return body;
    throw new Refused(response.status, body.error);
  }
  throw new Refused(response.status, (await response.text()).trim() || "no answer");
}

const path = (name) => new URL("api/v1/" + name, location.origin + location.pathname);

let first = early;

export async function get(name, query = {}, signal) {
  const url = path(name);
  for (const [k, v] of Object.entries(query)) {
    if (Array.isArray(v)) v.forEach((one) => url.searchParams.append(k, one));
    else if (v !== "" && v != null && v !== false) url.searchParams.set(k, v === true ? "1" : v);
  }
  const begun = name === "overview" && first;
  first = undefined;
  return answer(await (begun || fetch(url, { signal, cache: "no-store" })));
}

export async function post(name, body, signal) {
  return answer(await fetch(path(name), {
    method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  }));
}
