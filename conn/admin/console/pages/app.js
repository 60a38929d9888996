import { get } from "./api.js";
import { fill, setText } from "./dom.js";
import { keep, recall } from "./store.js";
import { overview } from "./overview.js";
import { tubes } from "./tubes.js";
import { tube } from "./tube.js";
import { search } from "./search.js";
import { connections } from "./connections.js";
import { samples } from "./samples.js";
import { server } from "./server.js";
import { slow } from "./slow.js";
import { policies } from "./policies.js";
import { cluster, serving } from "./cluster.js";

// Shows the page that the address names, and asks the server again and again for what it
// shows. A page is a function of (main, argument) that returns {title, refresh}; the
// overview is asked for at each round, because it says how the server is.

const pages = { "": overview, tubes, tube, search, samples, connections, slow, policies, server, cluster };
const main = document.getElementById("main");
const link = document.getElementById("link"), wait = document.getElementById("wait");

const state = { server: null };

let page, timer, stop, number = 0;

// decoded is what an address names. Somebody may have typed it.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function show() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const argument = decoded(rest.join("/"));
  const make = pages[name] || overview;
  stop?.abort();
  fill(main);
  setText(wait, "Loading…");
  wait.hidden = false;
  page = make(main, argument, state);
  document.title = page.title ? page.title + " · beanfield" : "beanfield";
  for (const a of document.querySelectorAll("nav a[data-page]")) {
    const here = a.dataset.page === (name === "tube" ? "tubes" : name || "overview");
    if (here) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  round();
}

async function round() {
  clearTimeout(timer);
  stop?.abort();
  const mine = ++number, control = new AbortController();
  stop = control;
  const within = (ms) => AbortSignal.any([control.signal, AbortSignal.timeout(ms)]);
  try {
    state.server = await get("overview", {}, within(8000));
    document.body.classList.toggle("looking", !state.server.act);
    const { may, following } = state.server;
    serving(document.getElementById("serving"), state.server);
    document.querySelector("nav a[data-page=cluster]").hidden = !(state.server.cluster && may.whole);
    for (const name of ["overview", "samples"]) document.querySelector(`nav a[data-page=${name}]`).hidden = !!following;
    if (following && page.title !== "Cluster" && page.title !== "Server") return void (location.hash = "#/cluster"); // which asks anew
    const pages = { tubes: may.can.includes("stats") || may.can.includes("put"), search: may.can.includes("peek"), connections: may.connections, slow: may.can.includes("stats"), policies: may.can.includes("stats"), server: may.whole || may.drain };
    for (const [page, shown] of Object.entries(pages)) document.querySelector(`nav a[data-page=${page}]`).hidden = !shown || !!following && page !== "server";
    await page.refresh(within(20_000), state.server);
    dispatchEvent(new Event("drawn"));
    if (mine !== number) return;
    wait.hidden = true;
    setText(link, following ? "following" : state.server.draining ? "draining" : state.server.act ? "live" : "read only");
    link.className = "link " + (following || state.server.draining ? "warn" : "good");
    document.body.classList.remove("lost");
  } catch (e) {
    if (mine !== number) return;
    const away = !e.status || e.status >= 500;
    setText(link, away ? (e.status === 503 ? e.message.split("\n")[0] : "the server does not answer") : e.message);
    link.className = "link bad";
    if (!wait.hidden) setText(wait, link.textContent + (away ? ": the page goes on when it does." : ""));
    document.body.classList.toggle("lost", away);
  }
  const period = Number(refresh.value);
  const lost = link.className === "link bad";
  if (period > 0 || lost) timer = setTimeout(round, lost ? 1000 : document.hidden ? Math.max(period, 10000) : period);
}

const refresh = document.getElementById("refresh");
refresh.value = String(recall("refresh", 1000));
refresh.addEventListener("change", () => { keep("refresh", Number(refresh.value)); round(); });

const theme = document.getElementById("theme");
function paint() {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}
theme.value = recall("theme", "auto");
theme.addEventListener("change", () => { keep("theme", theme.value); paint(); });
paint();

// Keys: / goes to the filter or the search, g then o, t, s, p, c or v to a page, r asks now.
let g = false, toField = false;
const field = () => main.querySelector("input[type=search]");
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) || document.querySelector("dialog[open]")) return;
  const to = { o: "#/", t: "#/tubes", s: "#/search", p: "#/samples", c: "#/connections", v: "#/server" }[e.key];
  if (g && to) location.hash = to;
  g = e.key === "g";
  if (e.key === "r") round();
  if (e.key === "/") {
    e.preventDefault();
    if (field()) return field().focus();
    toField = true; // a page may be on its way already
    location.hash = "#/tubes";
  }
});

addEventListener("again", round);
addEventListener("hashchange", () => {
  show();
  ((toField && field()) || main).focus({ preventScroll: true });
  toField = false;
  scrollTo(0, 0);
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) round(); });
if (location.hash === "") history.replaceState(null, "", "#/");
show();
