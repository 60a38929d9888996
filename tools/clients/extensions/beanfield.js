'use strict'
// What beanfield has and beanstalkd has not, for node-beanstalk 1.6: see the README beside this file.
const { Client, Pool, BeanstalkError, ClientError, CommandError } = require('node-beanstalk')
const yaml = require(require.resolve('js-yaml', { paths: [require.resolve('node-beanstalk')] }))
const PLAIN = ['pri', 'delay', 'ttr'] // what beanstalkd can do, too
const ERRORS = ['BAD_FORMAT', 'INTERNAL_ERROR', 'OUT_OF_MEMORY', 'UNKNOWN_COMMAND']
const REFUSALS = [...ERRORS, 'BURIED', 'DEADLINE_SOON', 'DRAINING', 'EXISTS', 'EXPECTED_CRLF', 'JOB_TOO_BIG', 'NOT_FOUND', 'NOT_TOGETHER']
const [CRLF, MORE] = [Buffer.from('\r\n'), Symbol('the answer goes on')]
exports.Client = class extends Client {
  /** The commands that the server has and beanstalkd has not. */
  async capabilities() {
    if (!this._known || this._asked !== this._conn._socket) {
      const list = await this._ask('capabilities').catch(error => error.status === 'UNKNOWN_COMMAND' ? '[]' : Promise.reject(error))
      ;[this._known, this._asked] = [yaml.load(list.toString()), this._conn._socket]
    }
    return this._known
  }
  async auth(token) { await this._ask(`auth ${escape(token)}`) }
  /** Options: tube, pri, delay, ttr, key, keyFor, once, expire, deliveries, wait, tags (an object). Gives the id. */
  async putWith(payload, options = {}) {
    if (!await this._has('put-with', options)) return (await this._put({ payload, ...options })).id
    const data = this.payloadToBuffer(payload)
    return this._ask(`put-with ${data.length}${words({ ...this._plain(options), ...options })}`, data)
  }
  /** A job is { payload, …options }. Gives the ids, or rejects with the first refusal after all have been tried: see its results. */
  async putBatch(jobs, { all = false } = {}) {
    const has = await this._has('put-batch', all ? { all } : {}, ...jobs.map(({ payload, ...options }) => options))
    const [results, parts] = [[], has ? jobs.map(job => this._part(job)) : jobs]
    while (results.length < jobs.length) {
      let n = 0, size = 0
      const left = parts.slice(results.length, results.length + (all ? jobs.length : has ? 1000 : 1))
      while (n < left.length && ((size += left[n].length) <= 1 << 20 || n === 0 || all)) n++
      const batch = has && Buffer.concat(left.slice(0, n))
      const put = has ? this._ask(`put-batch ${batch.length}${all ? ' all=true' : ''}`, batch) : this._put(left[0])
      results.push(...await put.then(ids => has ? ids : [ids.id], refusal => refusal.status || !has ? Array(n).fill(refusal) : Promise.reject(refusal)))
    }
    const refusal = results.find(result => result instanceof Error)
    if (refusal) throw Object.assign(refusal, { results })
    return results
  }
  /** Up to size jobs; there may be none. beanstalkd gives one. */
  async reserveBatch(size, timeout) {
    if (size < 1) return []
    if (!await this._has('reserve-batch')) return [await this.reserveWithTimeout(Math.ceil(timeout))].filter(Boolean)
    return this._jobs(await this._ask(`reserve-batch ${Math.min(size, 1000)} ${escape(timeout)}`))
  }
  /** Up to count jobs that have these tags, and know their tube, reserves and tags; there may be none. */
  async reserveWith({ count = 1, timeout, tags = {} } = {}) {
    await this._has('reserve-with', { tags })
    return this._jobs(await this._ask(`reserve-with${words({ count, timeout, tags })}`))
  }
  /** Yields an object for each job. Options: tube, state, older, younger, tags, body, bodies, limit (of one answer). */
  async * listJobs(options = {}) {
    await this._has('list-jobs', { tags: {} })
    for (let page = {}; page; page = page.cursor === undefined ? null : page) {
      page = yaml.load((await this._ask(`list-jobs${words({ ...options, cursor: page.cursor })}`)).toString())
      yield * page.jobs
    }
  }
  async _has(verb, ...options) {
    if ((await this.capabilities()).includes(verb)) return true
    if (options.some(given => Object.entries(given).some(([name, value]) => value !== undefined && !PLAIN.includes(name)))) throw refused('UNKNOWN_COMMAND', verb)
    return false
  }
  _put({ payload, pri, delay, ttr }) { return this.put(payload, ...[ttr, pri, delay].map(n => n && Math.ceil(n))) } // in whole seconds
  _plain({ pri = this._opt.defaultPriority, delay = this._opt.defaultDelay, ttr = this._opt.defaultTTR }) { return { pri, delay, ttr } }
  _part({ payload, pri, delay, ttr, ...others }) {
    const data = this.payloadToBuffer(payload)
    const numbers = Object.values(this._plain({ pri, delay, ttr })).map(escape).join(' ')
    return Buffer.concat([Buffer.from(`${numbers} ${data.length}${words(others)}\r\n`), data, CRLF])
  }
  /** What cannot be deserialized stays a Buffer: the other jobs must not be lost with it. */
  _jobs(answers) {
    return answers.map(({ id, payload, told }) => {
      try { if (this._opt.serializer) payload = this._opt.serializer.deserialize(payload) } catch {}
      const more = Object.fromEntries(told.map(word => word.split(/=(.*)/s, 2).map(unescape)))
      const tags = Object.entries(more).filter(([name]) => name.startsWith('tag.')).map(([name, value]) => [name.slice(4), value])
      return told.length ? { id, payload, tube: more.tube, reserves: Number(more.reserves), tags: Object.fromEntries(tags) } : { id, payload }
    })
  }
  /** Sends a command when those before it have been answered. */
  async _ask(line, body) {
    const [verb] = line.split(' ')
    if (line.length > 1024) throw refused('BAD_FORMAT', verb)
    const [turn, next] = this.waitQueue()
    return turn.then(() => this._exchange(Buffer.concat([Buffer.from(line), CRLF, ...(body ? [body, CRLF] : [])]), verb)).finally(next)
  }
  _exchange(command, verb) {
    return new Promise((resolve, reject) => {
      let [conn, got, timer] = [this._conn, Buffer.alloc(0)]
      const end = (settle, value) => {
        clearTimeout(timer)
        conn.off('data', read).off('close', lost).off('error', lost)
        settle(value)
      }
      const lost = () => { // the rest of the answer must not be taken for another
        conn._socket?.destroy()
        end(reject, new ClientError('ErrResponseRead', `the connection was lost before the answer to ${verb} was there`))
      }
      const read = data => {
        clearTimeout(timer)
        const answer = parse(got = Buffer.concat([got, data]), verb)
        if (answer instanceof Error && !REFUSALS.includes(answer.status)) conn._socket.destroy() // who knows what follows?
        answer === MORE ? timer = setTimeout(lost, this._opt.dataReadTimeoutMs) : end(answer instanceof Error ? reject : resolve, answer)
      }
      conn.on('data', read).on('close', lost).on('error', lost)
      conn.write(command).catch(lost)
    })
  }
}
exports.Pool = class extends Pool { // of such clients; one whose connection is lost leaves it
  async connect() {
    const client = Object.defineProperties(await super.connect(), Object.getOwnPropertyDescriptors(exports.Client.prototype))
    if (!client._conn._socket.destroyed) return client
    this._clients = this._clients.filter(other => other !== client)
    return this.connect()
  }
}
const escape = value => encodeURIComponent(typeof value === 'number' ? Math.round(value * 1000) / 1000 : value).replace(/%2C/g, ',')
const unescape = text => Buffer.from(text.replace(/%(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))), 'latin1').toString()
const words = ({ tags = {}, ...others }) => [
  ...Object.entries(others).map(([name, value]) => [name.replace('keyFor', 'key-for'), value]),
  ...Object.entries(tags).map(([name, value]) => [`tag.${escape(name)}`, value]),
].map(([name, value]) => value === undefined ? '' : ` ${name}=${escape(value)}`).join('')
/** Reads an answer, if it is there as a whole. */
function parse(got, verb) {
  let at = 0
  const take = size => {
    if (!(got.length >= at + size)) throw MORE
    at += size
    return got.subarray(at - size, at - 2)
  }
  const answer = () => {
    const end = got.indexOf(CRLF, at)
    const [word, a, b, ...told] = take(end < 0 ? Infinity : end + 2 - at).toString().split(' ')
    if (word === 'OK') return take(Number(a) + 2)
    if (word === 'RESERVED') return { id: Number(a), payload: take(Number(b) + 2), told }
    if (['INSERTED_BATCH', 'RESERVED_BATCH', 'RESERVED_WITH'].includes(word)) return Array.from({ length: a }, answer)
    if (word === 'INSERTED' || word === 'TIMED_OUT') return word === 'INSERTED' ? Number(a) : []
    if (REFUSALS.includes(word)) return refused(word, verb, Number(a))
    throw refused(word, verb)
  }
  try { return answer() } catch (error) { return error }
}
function refused(status, verb, id) {
  const text = `Error status '${status}' received in response to '${verb}' command`
  const error = ERRORS.includes(status) ? new CommandError('ErrErrorResponseStatus', text) : new BeanstalkError(text, status)
  return Object.assign(error, { status }, status === 'EXISTS' && { id })
}
