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

// send is fetch. Its own words for a server that does not answer are the browser's.
async function send(asked) {
  try {
    return await asked;
  } catch (e) {
    throw e instanceof TypeError ? new Refused(0, "the server does not answer") : e;
  }
}

let first = early;

export async function get(name, query = {}, signal) {
  const url = path(name);
  for (const [k, v] of Object.entries(query)) {
    if (Array.isArray(v)) v.forEach((one) => url.searchParams.append(k, one));
    else if (v !== "" && v != null && v !== false) url.searchParams.set(k, v === true ? "1" : v);
  }
  const begun = name === "overview" && first;
  first = undefined;
  return answer(await send(begun || fetch(url, { signal, cache: "no-store" })));
}

export async function post(name, body, signal) {
  return answer(await send(fetch(path(name), {
    method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  })));
}
