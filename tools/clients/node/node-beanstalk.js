'use strict'
// node-beanstalk. It answers null or false where the server refuses, and would
// send JSON if it were not given a serializer that leaves bytes alone.
const { Client: Beanstalk } = require('node-beanstalk')
const { Refused } = require('./checks')

const bytes = { serialize: body => Buffer.from(body), deserialize: body => body }
const job = j => ({ id: j.id, body: j.payload })

class Client {
  static title = `node-beanstalk ${require('node-beanstalk/package.json').version}`

  async connect(host, port) {
    this.lib = new Beanstalk({ host, port, serializer: bytes })
    await this.lib.connect()
  }

  // The word for a refusal is in the error, or it is the only one the library takes for null or false.
  async call(word, method, ...args) {
    const answer = await this.lib[method](...args).catch(error => {
      const said = /\b([A-Z]+_[A-Z_]+|DRAINING)\b/.exec(`${error.code} ${error.message}`)
      throw said ? new Refused(said[0]) : error
    })
    if (answer === null || answer === false) throw new Refused(word)
    return answer
  }

  found(method, ...args) { return this.call('NOT_FOUND', method, ...args) }

  use(tube) { return this.found('use', tube) }
  watch(tube) { return this.found('watch', tube) }
  ignore(tube) { return this.call('NOT_IGNORED', 'ignore', tube) }
  async put(body, priority, delay, ttr) { return (await this.found('put', body, ttr, priority, delay)).id }
  async reserve() { return job(await this.call('TIMED_OUT', 'reserve')) }
  async reserveWithTimeout(seconds) { return job(await this.call('TIMED_OUT', 'reserveWithTimeout', seconds)) }
  async reserveJob(id) { return job(await this.found('reserveJob', id)) }
  delete(id) { return this.found('delete', id) }
  release(id, priority, delay) { return this.found('release', id, priority, delay) }
  bury(id, priority) { return this.found('bury', id, priority) }
  touch(id) { return this.found('touch', id) }
  kick(bound) { return this.found('kick', bound) }
  kickJob(id) { return this.found('kickJob', id) }
  async peek(id) { return job(await this.found('peek', id)) }
  async peekReady() { return job(await this.found('peekReady')) }
  async peekDelayed() { return job(await this.found('peekDelayed')) }
  async peekBuried() { return job(await this.found('peekBuried')) }
  pauseTube(tube, seconds) { return this.found('pauseTube', tube, seconds) }
  stats() { return this.found('stats') }
  statsTube(tube) { return this.found('statsTube', tube) }
  statsJob(id) { return this.found('statsJob', id) }
  listTubes() { return this.found('listTubes') }
  listTubesWatched() { return this.found('listTubesWatched') }
  listTubeUsed() { return this.found('listTubeUsed') }
  close() { return this.lib.disconnect() }
}

require('./scenario').play(Client)
