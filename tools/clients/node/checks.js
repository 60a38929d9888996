'use strict'
// Counts what was compared. A wrong value is reported and the section goes on;
// an unexpected error ends the section.

class Checks {
  constructor(client) {
    this.client = client
    this.section = ''
    this.done = 0
    this.failed = 0
  }

  that(what, ok, got) {
    this.done++
    if (ok) return
    this.failed++
    console.error(`FAIL ${this.client}: ${this.section}: ${what}: got ${got}`)
  }

  // As text, because some clients parse the YAML of stats and some do not.
  equal(what, got, want) {
    this.that(what, String(got) === String(want), `${got}, want ${want}`)
  }

  body(what, got, want) {
    want = Buffer.from(want)
    const show = b => `${b.length} bytes ${JSON.stringify(b.toString('latin1').slice(0, 40))}`
    this.that(what, Buffer.isBuffer(got) && got.equals(want), `${show(got)}, want ${show(want)}`)
  }

  job(what, got, id, body) {
    this.equal(`${what}: id`, got.id, id)
    this.body(`${what}: body`, got.body, body)
  }

  stats(what, got, want) {
    for (const key in want) this.equal(`${what} ${key}`, got[key], want[key])
  }

  // The server's refusal, as the word of the protocol.
  async refused(what, promise, word) {
    const got = await promise.then(() => 'no error', error => error.word || error)
    this.equal(what, got, word)
  }

  // More than `low` and less than `low + 4` seconds since start, give or take a clock's tick.
  due(what, start, low) {
    const took = (performance.now() - start) / 1000
    this.that(what, took >= low - 0.1 && took < low + 4, `${took} s`)
  }
}

// What the adapters throw for a refusal.
class Refused extends Error {
  constructor(word) {
    super(word)
    this.word = word
  }
}

module.exports = { Checks, Refused }
