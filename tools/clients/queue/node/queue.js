'use strict'
// One user of a queue over HTTP, and a beanstalk client on the same tube. The watch is
// the business of ws.js and page.js.
const http = require('http')
const net = require('net')
const { decodeList, decodeAttributes } = require('./protobuf')

const PATIENCE = 10000 // ms, for something that must come
const CALM = 100 // ms in which nothing must come
const TOKEN = 'secret'
const GROUP = 'eas'
const PROTOBUF = 'application/vnd.google.protobuf'

const [host, port, queuePort] = process.argv.slice(2)
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

// send sends any request, and resolves to { status, headers, body }.
function send(method, path, headers, body = '') {
  return new Promise((resolve, reject) => {
    const request = http.request({ host, port: queuePort, method, path, headers: { Authorization: TOKEN, 'Content-Length': Buffer.byteLength(body), ...headers } }, answer => {
      const parts = []
      answer.on('data', part => parts.push(part))
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }))
      answer.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

class Queue {
  constructor(c, name, user, group = GROUP, rear = false) {
    Object.assign(this, { c, name, user, group, path: `/api/predict/${name}` })
    this.headers = { Accept: PROTOBUF, 'X-EAS-QueueService-Redis-Uid': user, 'X-EAS-QueueService-Redis-Gid': group }
    if (rear) this.headers['X-EAS-QueueService-Access-Rear'] = 'true'
  }

  another(user, group) { return new Queue(this.c, this.name, user, group) }
  rear() { return new Queue(this.c, this.name, this.user, this.group, true) }

  ask(method, query, body, headers) { return send(method, `${this.path}?${query}`, { ...this.headers, ...headers }, body) }

  async good(method, query, body, headers) {
    const answer = await this.ask(method, query, body, headers)
    if (answer.status !== 200) throw new Error(`${method} ${query}: ${answer.status} ${answer.body}`)
    return answer
  }

  async attributes() { return decodeAttributes((await this.good('GET', '_attrs_=true')).body) }
  async length() { return (await this.attributes())['stream.length'] }

  // The line of the attributes for a consumer or group, taken apart.
  async listed(kind, id) {
    const all = await this.attributes()
    for (const key in all) {
      if (!key.startsWith(`${kind}.list.[`)) continue
      const line = Object.fromEntries(all[key].split(', ').map(part => part.split(': ')))
      if (line.Id === id) return line
    }
    return {}
  }

  consumer() { return this.listed('consumers', `${this.group}.${this.user}`) }

  async put(body, query = '', headers) { return Number((await this.good('POST', query, body, headers)).body) }
  async fill(n, query) {
    const indexes = []
    for (let i = 0; i < n; i++) indexes.push(await this.put(String(i), query))
    return indexes
  }

  async get(query) {
    const answer = await this.ask('GET', query)
    if (answer.status === 204 && answer.body.length === 0) return []
    if (answer.status !== 200) throw new Error(`get ${query}: ${answer.status} ${answer.body}`)
    return decodeList(answer.body)
  }

  done(what, answer) { this.c.equal(what, `${answer.status} ${answer.body}`, '200 OK') }
  async commit(...indexes) { this.done('commit', await this.ask('PUT', `_indexes_=${indexes.join('%2C')}`)) }
  async delete(...indexes) { this.done('delete', await this.ask('DELETE', `_indexes_=${indexes.join('%2C')}`)) }
  async negative(form, ...indexes) {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    this.done('negative', await this.ask('PUT', `_indexes_=${indexes.join('%2C')}&_negative_=true`, form, headers))
  }

  // Empties the queue as all SDKs do.
  async clear() {
    const last = (await this.attributes())['stream.lastEntry']
    if (last) this.done('truncate', await this.ask('DELETE', `_index_=${Number(last) + 1}&_trunc_=true`))
    this.c.equal('length after truncate', await this.length(), 0)
  }

  async search(index) { return JSON.parse((await this.good('GET', `_search_=true&_index_=${index}`)).body) }

  // Asks until something is as it should be, or patience has passed.
  async until(what, want, ask) {
    let got
    for (const limit = Date.now() + PATIENCE; Date.now() < limit; await sleep(10)) if (String(got = await ask()) === String(want)) break
    this.c.equal(what, got, want)
  }
}

// What has come and nobody has taken yet. A connection adds to it and ends it.
class Inbox {
  constructor(c) { Object.assign(this, { c, list: [], wake: () => {} }) }
  add(item) { this.list.push(item); this.wake() }
  end(why) { this.over = why || 'the end'; this.wake() }

  async wait(ms) {
    const limit = Date.now() + ms
    while (!this.list.length && !this.over && Date.now() < limit) {
      await Promise.race([new Promise(resolve => { this.wake = resolve }), sleep(limit - Date.now())])
    }
  }

  async next() {
    await this.wait(PATIENCE)
    if (!this.list.length) throw new Error(`no item comes${this.over ? `: ${this.over}` : ''}`)
    return this.list.shift()
  }

  // These items next; the last is returned.
  async wants(what, ...indexes) {
    let last
    for (const index of indexes) this.c.equal(what, (last = await this.next()).index, index)
    return last
  }

  async quiet(what) {
    await this.wait(CALM)
    this.c.that(what, !this.list.length && !this.over, this.over || this.list.map(i => i.index))
  }

  async ends(what) {
    await this.wait(PATIENCE)
    this.c.that(what, this.over && !this.list.length, 'a connection that is still there')
  }
}

// Worker is a beanstalk client, whose replies come one at a time.
class Worker {
  static async open(tube) {
    const w = new Worker()
    w.socket = net.connect(port, host)
    w.text = ''
    w.socket.setEncoding('utf8').on('data', part => { w.text += part; w.arrived?.() })
    for (const command of [`use ${tube}`, `watch ${tube}`, 'ignore default']) await w.say(command)
    return w
  }

  async until(found) {
    while (found() < 0) await new Promise(resolve => { this.arrived = resolve })
    const taken = this.text.slice(0, found())
    this.text = this.text.slice(found() + 2)
    return taken
  }

  say(command) {
    this.socket.write(`${command}\r\n`)
    return this.until(() => this.text.indexOf('\r\n'))
  }

  async put(body, pri = 1024, ttr = 60) { return Number((await this.say(`put ${pri} 0 ${ttr} ${body.length}\r\n${body}`)).split(' ')[1]) }

  async reserve(seconds) {
    const [word, index, size] = (await this.say(`reserve-with-timeout ${seconds}`)).split(' ')
    if (word !== 'RESERVED') return {}
    return { index: Number(index), data: await this.until(() => this.text.length >= Number(size) + 2 ? Number(size) : -1) }
  }

  close() { this.socket.destroy() }
}

module.exports = { Queue, Inbox, Worker, send, sleep, host, port, queuePort, TOKEN, GROUP }
