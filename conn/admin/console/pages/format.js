// Numbers and times in words.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const one = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const count = (n) => whole.format(n);
export const rate = (n) => (n >= 100 ? whole : one).format(n);

export function short(n) {
  for (const [at, unit] of [[1e9, "G"], [1e6, "M"], [1e4, "k"]]) {
    if (n >= at) return one.format(n / (at === 1e4 ? 1e3 : at)) + " " + unit;
  }
  return one.format(n);
}

// moment words a time; exactly does with its milliseconds. There is none for 0.
const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });
export const moment = (at) => (at ? clock.format(at) : "");
const finer = new Intl.DateTimeFormat(undefined, { year: "2-digit", month: "numeric", day: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
export const exactly = (at) => finer.format(at);

// brief words microseconds.
export function brief(us) {
  for (const [at, unit] of [[1e6, "s"], [1e3, "ms"]]) if (us >= at) return one.format(us / at) + " " + unit;
  return us >= 10 ? whole.format(us) + " µs" : one.format(us) + " µs";
}

export function bytes(n) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let i = 0;
  if (n === 1) return "1 byte";
  while (n >= 1024 && i < units.length - 1) { n /= 1024; i++; }
  return one.format(n) + " " + units[i];
}

// timeToRun words how long a worker may hold a job.
export const timeToRun = (seconds) => (seconds > 0 ? duration(seconds) : "no time to run");

export function duration(seconds) {
  if (seconds < 1) return seconds > 0 ? "under a second" : "0 seconds";
  const parts = [];
  let left = Math.floor(seconds);
  for (const [size, unit] of [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]]) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n > 0) parts.push(`${count(n)} ${unit}${n === 1 ? "" : "s"}`);
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}
