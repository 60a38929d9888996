'use strict'
// The life of jobs, for any Node client behind an adapter (jackd.js, fivebeans.js,
// node-beanstalk.js). An adapter changes names and shapes only: it throws the
// protocol's word for a refusal and gives a job as { id, body }.
//
//     node ADAPTER.js HOST PORT
//
// in the folder that holds stats-keys.json. The environment: see the README.
const os = require('os')
const fs = require('fs')
const { Checks } = require('./checks')

const TIME_LIMIT = 60 // seconds, of the whole run
const PATIENCE = 10 // seconds, of a reserve that is expected to get a job
const quotes = process.env.QUOTES // of strings in stats: needed, always or never
const known = JSON.parse(fs.readFileSync('stats-keys.json'))

const sections = {
  async tubes(c, { client, tube }) {
    const long = 't'.repeat(200)
    c.equal('use', await client.use(long), long)
    c.equal('list-tube-used', await client.listTubeUsed(), long)
    c.equal('watch', await client.watch(long), 2)
    c.equal('watched', await client.listTubesWatched(), [tube, long])
    const listed = await client.listTubes()
    for (const name of ['default', tube, long]) c.equal(`list-tubes has ${name} once`, listed.filter(t => t === name).length, 1)
    await client.ignore(tube)
    c.equal('watched', await client.listTubesWatched(), [long])
    await c.refused('ignore the last', client.ignore(long), 'NOT_IGNORED')
  },

  async order(c, { client, tube }) {
    const ids = []
    for (const [body, pri] of [['a', 2000], ['b', 10], ['c', 10]]) ids.push(await client.put(body, pri, 0, 60))
    const [a, b, d] = ids
    c.equal('ids are dense', [b, d], [a + 1, a + 2])
    c.job('peek-ready', await client.peekReady(), b, 'b')
    c.stats('stats-tube', await client.statsTube(tube), {
      name: text(client, tube), 'current-jobs-ready': 3, 'current-jobs-urgent': 2, 'total-jobs': 3, 'current-using': 1, 'current-watching': 1,
    })
    c.job('first', await client.reserve(), b, 'b')
    c.job('second', await client.reserveWithTimeout(PATIENCE), d, 'c')
    c.job('third', await client.reserveWithTimeout(0), a, 'a')
    await c.refused('nothing is left', client.reserveWithTimeout(0), 'TIMED_OUT')
    c.stats('stats-tube', await client.statsTube(tube), { 'current-jobs-ready': 0, 'current-jobs-reserved': 3 })
    for (const id of ids) await client.delete(id)
    c.stats('stats-tube', await client.statsTube(tube), { 'current-jobs-reserved': 0, 'cmd-delete': 3 })
  },

  async life(c, { client, tube, another }) {
    let id = await client.put('life', 7, 0, 90)
    c.stats('stats-job', await client.statsJob(id), { id, tube: text(client, tube), state: 'ready', pri: 7, delay: 0, ttr: 90, 'time-left': 0 })
    c.job('reserve', await client.reserve(), id, 'life')
    const stats = await client.statsJob(id)
    c.stats('stats-job', stats, { state: 'reserved', reserves: 1 })
    c.equal('keys of stats-job', Object.keys(stats), known.job)
    c.that('time-left is the ttr', stats['time-left'] > 80 && stats['time-left'] <= 90, stats['time-left'])
    await client.touch(id)
    await client.release(id, 8, 0)
    c.stats('stats-job', await client.statsJob(id), { state: 'ready', pri: 8, releases: 1 })

    c.job('reserve again', await client.reserve(), id, 'life')
    await client.bury(id, 9)
    c.stats('stats-job', await client.statsJob(id), { state: 'buried', pri: 9, buries: 1, reserves: 2 })
    c.job('peek-buried', await client.peekBuried(), id, 'life')
    c.equal('kick a buried job', await client.kick(10), 1)
    c.stats('stats-job', await client.statsJob(id), { state: 'ready', kicks: 1 })
    await client.delete(id)

    id = await client.put('later', 0, 3600, 60)
    c.stats('stats-job', await client.statsJob(id), { state: 'delayed', delay: 3600 })
    c.job('peek-delayed', await client.peekDelayed(), id, 'later')
    await client.kickJob(id)
    c.stats('stats-job', await client.statsJob(id), { state: 'ready', kicks: 1 })
    c.job('reserve by id', await (client.reserveJob ? client.reserveJob(id) : client.reserve()), id, 'later')
    c.job('peek at a reserved job of another', await (await another()).peek(id), id, 'later')
    await client.delete(id)
  },

  // A delay passes, and a touch moves a deadline meanwhile.
  async time(c, { client }) {
    const held = await client.put('held', 0, 0, 60)
    c.job('reserve', await client.reserve(), held, 'held')
    let start = performance.now()
    const late = await client.put('late', 0, 1, 60)
    c.job('a delayed job comes due', await client.reserveWithTimeout(PATIENCE), late, 'late')
    c.due('its delay', start, 1)

    const before = Number((await client.statsJob(held))['time-left'])
    c.that('time-left goes down', before <= 58, before)
    await client.touch(held)
    const after = Number((await client.statsJob(held))['time-left'])
    c.that('touch lifts time-left', after > before, after)

    await client.release(late, 3, 3600)
    c.stats('stats-job', await client.statsJob(late), { state: 'delayed', delay: 3600, pri: 3, releases: 1 })
    await client.kickJob(late)
    c.job('a kicked job', await client.reserve(), late, 'late')
    start = performance.now()
    await client.release(late, 3, 1)
    c.job('a job released with a delay comes due', await client.reserveWithTimeout(PATIENCE), late, 'late')
    c.due('its delay', start, 1)
    for (const id of [held, late]) await client.delete(id)
  },

  async pause(c, { client, tube }) {
    const id = await client.put('paused', 0, 0, 60)
    await client.pauseTube(tube, 3600)
    await c.refused('reserve from a paused tube', client.reserveWithTimeout(0), 'TIMED_OUT')
    const stats = await client.statsTube(tube)
    c.stats('stats-tube', stats, { pause: 3600, 'cmd-pause-tube': 1, 'current-jobs-ready': 1 })
    c.equal('keys of stats-tube', Object.keys(stats), known.tube)
    c.that('pause-time-left', stats['pause-time-left'] > 3590 && stats['pause-time-left'] <= 3600, stats['pause-time-left'])
    await client.pauseTube(tube, 0)
    c.job('after the pause was lifted', await client.reserve(), id, 'paused')
    await client.release(id, 0, 0)
    const start = performance.now()
    await client.pauseTube(tube, 1)
    c.job('when the pause ends by itself', await client.reserveWithTimeout(PATIENCE), id, 'paused')
    c.due('the pause', start, 1)
    await client.delete(id)
  },

  async bodies(c, { client }) {
    const largest = Number((await client.stats())['max-job-size'])
    const bodies = {
      'line ends': '\r\n\r\nput 0 0 1 1\r\n', zero: '0', control: 'a\0b\x01c', unicode: 'Grüße, 世界 🫘', largest: 'x\r\n'.repeat(largest).slice(0, largest),
    }
    if (!client.constructor.stringsOnly) {
      bodies['every octet'] = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
      bodies['largest, binary'] = Buffer.alloc(largest, 0xff)
      bodies.empty = Buffer.alloc(0)
    }
    for (const what in bodies) {
      const id = await client.put(bodies[what], 0, 0, 60)
      c.job(`peek ${what}`, await client.peek(id), id, bodies[what])
      c.job(what, await client.reserve(), id, bodies[what])
      await client.delete(id)
    }
    await c.refused('one octet too many', client.put('x'.repeat(largest + 1), 0, 0, 60), 'JOB_TOO_BIG')
    const id = await client.put('after', 0, 0, 60)
    c.job('the connection goes on', await client.reserve(), id, 'after')
    await client.delete(id)
  },

  async errors(c, { client, another }) {
    const id = await client.put('taken', 0, 0, 60)
    c.job('reserve', await client.reserve(), id, 'taken')
    const other = await another()
    await c.refused("delete another's job", other.delete(id), 'NOT_FOUND')
    await c.refused("release another's job", other.release(id, 0, 0), 'NOT_FOUND')
    await c.refused("bury another's job", other.bury(id, 0), 'NOT_FOUND')
    await c.refused("touch another's job", other.touch(id), 'NOT_FOUND')
    await c.refused('kick a reserved job', client.kickJob(id), 'NOT_FOUND')
    if (other.reserveJob) await c.refused('reserve-job of a reserved job', other.reserveJob(id), 'NOT_FOUND')
    await client.delete(id)

    await c.refused('delete twice', client.delete(id), 'NOT_FOUND')
    await c.refused('peek at what is gone', client.peek(id), 'NOT_FOUND')
    await c.refused('peek-ready', client.peekReady(), 'NOT_FOUND')
    await c.refused('peek-delayed', client.peekDelayed(), 'NOT_FOUND')
    await c.refused('peek-buried', client.peekBuried(), 'NOT_FOUND')
    await c.refused('stats-job of what is gone', client.statsJob(id), 'NOT_FOUND')
    await c.refused('stats-tube of no tube', client.statsTube('node-nowhere'), 'NOT_FOUND')
    await c.refused('pause no tube', client.pauseTube('node-nowhere', 1), 'NOT_FOUND')
    await c.refused('a bad number', client.kick('x'), 'BAD_FORMAT')
    c.equal('kick nothing', await client.kick(5), 0)
  },

  // The last second of a ttr wakes whoever waits for another job.
  async deadline(c, { client }) {
    const id = await client.put('soon', 0, 0, 2)
    c.job('reserve', await client.reserve(), id, 'soon')
    await c.refused('reserve near the deadline', client.reserveWithTimeout(PATIENCE), 'DEADLINE_SOON')
    await client.delete(id)
  },

  // A put wakes a client that waits, for ever or for a time.
  async waiting(c, { client, tube, another }) {
    const worker = await another()
    for (const wait of [() => worker.reserve(), () => worker.reserveWithTimeout(PATIENCE)]) {
      let settled = false
      const woken = wait().finally(() => { settled = true })
      woken.catch(() => {}) // what it throws is thrown again below
      while (!settled && Number((await client.statsTube(tube))['current-waiting']) !== 1);
      const id = await client.put('wake up', 0, 0, 60)
      c.job('the waiter', await woken, id, 'wake up')
      await worker.delete(id)
    }
  },

  // What a client held when it left is ready again.
  async hangup(c, { client, another }) {
    const id = await client.put('orphan', 4, 0, 3600)
    const other = await another()
    c.job('reserve', await other.reserve(), id, 'orphan')
    await other.close()
    c.job('the orphan comes back', await client.reserveWithTimeout(PATIENCE), id, 'orphan')
    c.stats('stats-job', await client.statsJob(id), { pri: 4, reserves: 2, releases: 0, timeouts: 0 })
    await client.delete(id)
  },

  async pipeline(c, { client }) {
    if (!client.constructor.pipelines) return
    const numbers = Array.from({ length: 300 }, (_, i) => i)
    const ids = await Promise.all(numbers.map(i => client.put(`job ${i}`, 0, 0, 60)))
    c.equal('ids in order', ids, numbers.map(i => ids[0] + i))
    const jobs = await Promise.all(numbers.map(() => client.reserve()))
    jobs.forEach((job, i) => c.job('reserved in order', job, ids[i], `job ${i}`))
    await Promise.all(ids.map(id => client.delete(id)))
  },

  async stats(c, { client }) {
    const before = await client.stats()
    c.equal('keys of stats', Object.keys(before).slice(0, known.stats.length), known.stats)
    const id = await client.put('counted', 0, 0, 60)
    c.job('reserve', await client.reserve(), id, 'counted')
    await client.delete(id)
    const after = await client.stats()
    const more = { 'cmd-put': 1, 'total-jobs': 1, 'cmd-reserve': 1, 'cmd-delete': 1, 'cmd-stats': 1, 'cmd-bury': 0, 'cmd-use': 0 }
    for (const key in more) c.equal(`${key} grew by`, after[key] - before[key], more[key])
    c.stats('stats', after, { pid: process.env.SERVER_PID, draining: false, hostname: text(client, os.hostname()), platform: text(client, os.machine()) })
    c.that('id', /^[0-9a-f]{16}$/.test(after.id), after.id)
    c.that('version is a string', typeof after.version === 'string' && after.version !== '', after.version)
    // The kernel's version starts with #: without quotes a comment in YAML.
    c.equal('os', after.os, quotes === 'never' && !client.constructor.rawYaml ? null : text(client, os.version()))
  },

  // The sections before deleted what they put.
  async leftovers(c, { client }) {
    const stats = await client.stats()
    for (const state of ['urgent', 'ready', 'reserved', 'delayed', 'buried']) c.equal(`jobs ${state}`, stats[`current-jobs-${state}`], 0)
  },

  // SIGUSR1 makes the server refuse new jobs, for ever, and go on with those it has.
  async drain(c, { client }) {
    const id = await client.put('before', 0, 0, 60)
    process.kill(parseInt(process.env.SERVER_PID, 10), 'SIGUSR1')
    while (String((await client.stats()).draining) !== 'true');
    await c.refused('put', client.put('after', 0, 0, 60), 'DRAINING')
    c.job('reserve', await client.reserve(), id, 'before')
    await client.delete(id)
  },
}

// A string as the client gives it from stats: as it is written if the client does not parse YAML. Of those that come
// up here, a reader takes for something else what begins with #, and numbers, which the name of a machine may be.
function text(client, s) {
  const written = quotes === 'always' || (quotes === 'needed' && /^(#.*|[0-9.]+(e[0-9]+)?)$/.test(s))
  return written && client.constructor.rawYaml ? `"${s}"` : s
}

// Each section has connections and a tube of its own, so that one that broke leaves nothing in the way of the next.
async function run(c, Client, section, host, port) {
  const tube = `node-${Client.title.split(' ')[0]}-${section}`
  const open = []
  const another = async () => {
    const client = new Client()
    await client.connect(host, port)
    open.push(client)
    await client.use(tube)
    await client.watch(tube)
    await client.ignore('default')
    return client
  }
  try {
    await sections[section](c, { client: await another(), tube, another })
  } catch (error) {
    c.that('unexpected error', false, error.stack)
  }
  await Promise.allSettled(open.map(async client => client.close()))
}

async function play(Client) {
  const [host, port] = process.argv.slice(2)
  const c = new Checks(Client.title)
  setTimeout(() => {
    console.error(`FAIL ${Client.title}: ${c.section}: not done after ${TIME_LIMIT} s`)
    process.exit(1)
  }, TIME_LIMIT * 1000)
  for (const section in sections) {
    c.section = section
    await run(c, Client, section, host, Number(port))
  }
  console.log(c.failed ? `FAIL ${Client.title}: ${c.failed} of ${c.done} checks failed` : `ok   ${Client.title}: ${c.done} checks`)
  process.exit(c.failed ? 1 : 0)
}

module.exports = { play }
