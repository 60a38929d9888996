'use strict'
// Plays sections, each on a queue of its own, so that one that broke leaves nothing in
// the way of the next.
const { Checks } = require('../../node/checks')
const { Queue } = require('./queue')

const TIME_LIMIT = 60 // seconds, of the whole run

async function play(title, sections) {
  const c = new Checks(title)
  setTimeout(() => {
    console.error(`FAIL ${title}: ${c.section}: not done after ${TIME_LIMIT} s`)
    process.exit(1)
  }, TIME_LIMIT * 1000)
  for (const section in sections) {
    c.section = section
    const queue = new Queue(c, `${title.split(' ')[0]}-${section}`, 'u1')
    try {
      await sections[section](c, queue)
    } catch (error) {
      c.that('unexpected error', false, error.stack)
    }
  }
  console.log(c.failed ? `FAIL ${title}: ${c.failed} of ${c.done} checks failed` : `ok   ${title}: ${c.done} checks`)
  process.exit(c.failed ? 1 : 0)
}

module.exports = { play }
