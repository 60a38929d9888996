'use strict'
// fivebeans: callbacks, and commands may be pipelined. No reserve-job.
const { client: FiveBeans } = require('fivebeans')
const { once } = require('events')
const { Refused } = require('./checks')

const job = ([id, body]) => ({ id: Number(id), body })

class Client {
  static title = `fivebeans ${require('fivebeans/package.json').version}`
  static pipelines = true

  async connect(host, port) {
    this.lib = new FiveBeans(host, port)
    this.lib.connect()
    await once(this.lib, 'connect')
  }

  call(method, ...args) {
    return new Promise((resolve, reject) => {
      this.lib[method](...args, (word, ...reply) => word ? reject(new Refused(word)) : resolve(reply))
    })
  }

  async first(method, ...args) { return (await this.call(method, ...args))[0] }

  use(tube) { return this.first('use', tube) }
  watch(tube) { return this.first('watch', tube) }
  ignore(tube) { return this.first('ignore', tube) }
  async put(body, priority, delay, ttr) { return Number(await this.first('put', priority, delay, ttr, body)) }
  async reserve() { return job(await this.call('reserve')) }
  async reserveWithTimeout(seconds) { return job(await this.call('reserve_with_timeout', seconds)) }
  delete(id) { return this.call('destroy', id) }
  release(id, priority, delay) { return this.call('release', id, priority, delay) }
  bury(id, priority) { return this.call('bury', id, priority) }
  touch(id) { return this.call('touch', id) }
  kick(bound) { return this.first('kick', bound) }
  kickJob(id) { return this.call('kick_job', id) }
  async peek(id) { return job(await this.call('peek', id)) }
  async peekReady() { return job(await this.call('peek_ready')) }
  async peekDelayed() { return job(await this.call('peek_delayed')) }
  async peekBuried() { return job(await this.call('peek_buried')) }
  pauseTube(tube, seconds) { return this.call('pause_tube', tube, seconds) }
  stats() { return this.first('stats') }
  statsTube(tube) { return this.first('stats_tube', tube) }
  statsJob(id) { return this.first('stats_job', id) }
  listTubes() { return this.first('list_tubes') }
  listTubesWatched() { return this.first('list_tubes_watched') }
  listTubeUsed() { return this.first('list_tube_used') }
  close() { this.lib.end() }
}

require('./scenario').play(Client)
