'use strict'
// jackd. Its quirks: it sends strings and objects only (a Buffer becomes JSON,
// an empty string is refused), it forgets the line end of pause-tube (so it is
// added to the number here), and it hands stats over as unparsed YAML.
const Jackd = require('jackd')
const { Refused } = require('./checks')

const refuse = error => {
  const word = /\b([A-Z]+_[A-Z_]+|DRAINING)\b/.exec(error.message)
  throw word ? new Refused(word[0]) : error
}
const job = j => ({ id: Number(j.id), body: j.payload })
const list = yaml => yaml.split('\n').filter(line => line.startsWith('- ')).map(line => line.slice(2))
const dictionary = yaml => Object.fromEntries(
  yaml.split('\n').filter(line => line.includes(': ')).map(line => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]))

class Client {
  static title = `jackd ${require('jackd/package.json').version}`
  static rawYaml = true
  static stringsOnly = true

  async connect(host, port) {
    this.lib = new Jackd()
    await this.lib.connect({ host, port })
  }

  call(method, ...args) { return this.lib[method](...args).catch(refuse) }

  use(tube) { return this.call('use', tube) }
  watch(tube) { return this.call('watch', tube) }
  ignore(tube) { return this.call('ignore', tube) }
  async put(body, priority, delay, ttr) { return Number(await this.call('put', body, { priority, delay, ttr })) }
  async reserve() { return job(await this.call('reserve')) }
  async reserveWithTimeout(seconds) { return job(await this.call('reserveWithTimeout', seconds)) }
  async reserveJob(id) { return job(await this.call('reserveJob', id)) }
  delete(id) { return this.call('delete', id) }
  release(id, priority, delay) { return this.call('release', id, { priority, delay }) }
  bury(id, priority) { return this.call('bury', id, priority) }
  touch(id) { return this.call('touch', id) }
  kick(bound) { return this.call('kick', bound) }
  kickJob(id) { return this.call('kickJob', id) }
  async peek(id) { return job(await this.call('peek', id)) }
  async peekReady() { return job(await this.call('peekReady')) }
  async peekDelayed() { return job(await this.call('peekDelayed')) }
  async peekBuried() { return job(await this.call('peekBuried')) }
  pauseTube(tube, seconds) { return this.call('pauseTube', tube, { delay: `${seconds}\r\n` }) }
  async stats() { return dictionary(await this.call('stats')) }
  async statsTube(tube) { return dictionary(await this.call('statsTube', tube)) }
  async statsJob(id) { return dictionary(await this.call('statsJob', id)) }
  async listTubes() { return list(await this.call('listTubes')) }
  async listTubesWatched() { return list(await this.call('listTubesWatched')) }
  listTubeUsed() { return this.call('listTubeUsed') }
  close() { return this.lib.quit() }
}

require('./scenario').play(Client)
