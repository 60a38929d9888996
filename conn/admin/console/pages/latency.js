import { get } from "./api.js";
import { Chart } from "./chart.js";
import { fill, h } from "./dom.js";
import { brief } from "./format.js";
import { draw, LIVE } from "./past.js";
import { keep, recall } from "./store.js";

// How long commands take, from the server's histograms: what was counted in the last seconds.
// What was before, the server remembers for all commands together and for commits.

const WINDOW = 10_000; // milliseconds; only a sample is counted, so one second may have nothing
const ALL = "all commands", COMMITS = "commits to the log";
const shares = [["half", 0.5], ["nine", 0.9], ["most", 0.99]];

const readings = []; // of the last WINDOW
const points = new Map(); // of each kind
const chart = new Chart("Latency", [{ key: "half", label: "half within" }, { key: "nine", label: "90 % within" }, { key: "most", label: "99 % within" }], brief);
const pick = h("select", { "aria-label": "Latency of", onchange: () => { keep("latency", pick.value); show(); } });
// kept are the names of the shares in the server's history.
const kept = { [ALL]: ["half", "nine", "most"], [COMMITS]: ["commitHalf", "commitNine", "commitMost"] };
let kinds = "", past, last = 0;

chart.element.querySelector("figcaption h2").after(pick);
export const latencyChart = chart.element;

// merged adds up pairs of bucket and count.
function merged(lists) {
  const sum = new Map();
  for (const list of lists) for (const [i, n] of list || []) sum.set(i, (sum.get(i) || 0) + n);
  return sum;
}

// within is the bound, in microseconds, within which a share of what came between two readings
// was done; null if there was nothing.
export function within(now, before, share) {
  const counts = [...now].map(([i, n]) => [i, n - (before?.get(i) || 0)]).filter(([, n]) => n > 0).sort((a, b) => a[0] - b[0]);
  let left = counts.reduce((sum, [, n]) => sum + n, 0) * share;
  for (const [i, n] of counts) {
    left -= n;
    if (left <= 1e-9) return 2 ** (i / 4 - 20) * 1e6;
  }
  return null;
}

function show() {
  const names = kept[pick.value];
  const rows = names && past ? past.rows.map((r) => ({ at: r.at, ...Object.fromEntries(shares.map(([key], i) => [key, r[names[i]]])) })) : [];
  draw(chart, rows, points.get(pick.value) || [], last);
}

// refreshLatency draws the chart; whole has the server's history.
export async function refreshLatency(signal, whole) {
  past = whole;
  const a = await get("latency", {}, signal);
  const now = new Map(Object.entries(a.commands).map(([name, list]) => [name, merged([list])]));
  last = a.at;
  if (readings.length && readings.at(-1).at >= a.at) return show();
  now.set(ALL, merged(Object.values(a.commands)));
  if (a.commits) now.set(COMMITS, merged([a.commits]));
  readings.push({ at: a.at, now });
  while (readings.length > 2 && readings[1].at <= a.at - WINDOW) readings.shift();
  if (readings.length < 2) { choices([...now.keys()]); return show(); }
  for (const [name, counts] of now) {
    const was = readings[0].now.get(name), list = points.get(name) || [];
    points.set(name, list);
    list.push({ at: a.at, ...Object.fromEntries(shares.map(([key, share]) => [key, within(counts, was, share)])) });
    while (list.length > 2 && list[1].at < a.at - LIVE) list.shift();
  }
  choices([...now.keys()]);
  show();
}

// choices offers what there is to see.
function choices(names) {
  const all = [ALL, ...names.filter((n) => n !== ALL && n !== COMMITS).sort(), ...names.filter((n) => n === COMMITS)];
  if (all.join() === kinds) return;
  kinds = all.join();
  const chosen = pick.value || recall("latency", ALL);
  fill(pick, all.map((n) => h("option", { value: n, selected: n === chosen }, n)));
}
