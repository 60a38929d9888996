'use strict'
// Node's ws drives the queue service: with protobuf as the SDKs do, and with the
// subprotocol of text frames.
//
//     node ws.js HOST PORT QUEUE_PORT
const WebSocket = require('ws')
const { play } = require('./play')
const { decodeItem } = require('./protobuf')
const { Inbox, Worker, host, queuePort, TOKEN } = require('./queue')

const title = `ws ${require('ws/package.json').version}`

// watch opens a WebSocket, and resolves when it is open.
function watch(queue, query, subprotocol) {
  const inbox = new Inbox(queue.c)
  const options = { headers: { ...queue.headers, Authorization: TOKEN }, perMessageDeflate: false }
  const target = `ws://${host}:${queuePort}${queue.path}?_watch_=true&${query}`
  const socket = subprotocol ? new WebSocket(target, subprotocol, options) : new WebSocket(target, options)
  inbox.socket = socket
  inbox.cut = () => socket.terminate()
  inbox.pongs = 0
  socket.on('message', (data, binary) => {
    queue.c.equal('the kind of frame', binary, !subprotocol)
    if (binary) return inbox.add(decodeItem(data))
    const message = JSON.parse(data)
    inbox.add('done' in message ? { index: `done ${message.done}` } : { ...message, data: message.data ?? Buffer.from(message.data64, 'base64').toString('latin1') })
  })
  socket.on('pong', () => { inbox.pongs++ })
  socket.on('close', (code, reason) => { inbox.code = code; inbox.end(`closed ${code} ${reason}`) })
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(inbox))
    socket.on('error', reject)
  })
}

const sections = {
  async handshakes(c, q) {
    const refused = (what, promise, status) => promise.then(() => c.that(what, false, 'a connection'), error => c.equal(what, error.message, `Unexpected server response: ${status}`))
    await refused('a wrong window', watch(q, '_window_=x'), 400)
    const stranger = q.another('u9')
    stranger.headers['X-EAS-QueueService-Redis-Gid'] = 'bad\tgroup'
    await refused('a group that is no name', watch(stranger, '_window_=1'), 400)
    const w = await watch(q, '_window_=1')
    c.equal('no subprotocol', w.socket.protocol, '')
    c.equal('no extensions', w.socket.extensions, '')
    const json = await watch(q.another('u2'), '_window_=1', 'beanfield.json')
    c.equal('the subprotocol', json.socket.protocol, 'beanfield.json')
    for (let i = 0; i < 3; i++) w.socket.ping('ping')
    await q.until('pongs', 3, () => w.pongs)
    w.socket.close(1000, 'bye')
    await w.ends('a farewell')
    c.equal('its code', w.code, 1000)
    json.cut()
  },

  async windows(c, q) {
    const at = await q.fill(8, 'k=v')
    const w = await watch(q, '_index_=0&_window_=5')
    const item = await w.wants('first', ...at.slice(0, 5))
    c.equal('item', JSON.stringify([item.data, item.tags.k, item.tags.requestId.length]), '["4","v",36]')
    await w.quiet('a full window')
    const line = await q.consumer()
    for (const [key, want] of Object.entries({ Index: at[4], Pending: 5, Status: 'Running', Window: 5, Slots: 0, AutoCommit: 'false' })) c.equal(key, line[key], want)
    await q.commit(...at.slice(0, 5))
    await w.wants('slots', ...at.slice(5))
    await q.commit(...at.slice(5), 0, 123456789)
    c.equal('length', await q.length(), 0)
    const big = await q.put('z'.repeat(65536))
    c.equal('a large one', (await w.wants('a large one', big)).data.length, 65536)
    await q.clear()
    w.cut()
  },

  async orders(c, q) {
    const normal = await q.fill(3)
    const high = await q.fill(3, '_priority_=1')
    const w = await watch(q, '_index_=0&_window_=9')
    await w.wants('order', ...high, ...normal)
    await q.clear()
    w.cut()
  },

  async automatic(c, q) {
    const at = await q.fill(50)
    const w = await watch(q, '_index_=0&_window_=1&_auto_commit_=true&_index_only_=true')
    const item = await w.wants('automatic', ...at)
    c.equal('index only', item.data, '')
    await q.until('length', 0, () => q.length())
    w.cut()
  },

  async takeover(c, q) {
    const at = await q.fill(4)
    const w = await watch(q, '_index_=0&_window_=3')
    await w.wants('first', ...at.slice(0, 3))
    w.cut()
    const again = await watch(q, '_index_=0&_window_=3')
    await again.wants('pending again', ...at.slice(0, 3))
    const third = await watch(q, '_index_=0&_window_=3')
    await again.ends('another connection takes over')
    await third.wants('pending again', ...at.slice(0, 3))
    await q.commit(...at.slice(0, 3))
    await third.wants('the rest', at[3])
    third.cut()
    const y = q.another('u2')
    const other = await watch(y, '_index_=0&_window_=3')
    await other.wants('what has been left', at[3])
    await y.commit(at[3])
    c.equal('length', await q.length(), 0)
    other.cut()
  },

  async 'negatives-twice'(c, q) {
    const w = await watch(q, '_index_=0&_window_=2')
    const id = await q.put('poison')
    await w.wants('first', id)
    await q.negative('_code_=Busy&_reason_=no+room', id)
    await w.wants('again', id)
    c.equal('search', JSON.stringify(await q.search(id)), '{"ConsumerId":"eas.u1","IsPending":true,"WaitCount":0,"Deliveries":2,"Code":"Busy","Reason":"no room"}')
    await q.negative('_code_=Shutdown', id)
    const rear = q.rear()
    c.equal('lengths', [await q.length(), await rear.length()], [0, 1])
    const rw = await watch(rear, '_index_=0&_window_=2')
    await rw.wants('in the rear queue', id)
    await rear.commit(id)
    const next = await q.put('next')
    await w.quiet('after the farewell')
    w.cut()
    const again = await watch(q, '_index_=0&_window_=2')
    await again.wants('after a new watch', next)
    again.cut()
    rw.cut()
    await q.clear()
  },

  async gets(c, q) {
    const at = await q.fill(3, 'k=v')
    c.equal('by index', (await q.get(`_index_=${at[1]}&_length_=2&_auto_delete_=false`)).map(i => i.data), ['1', '2'])
    c.equal('newest', (await q.get('_index_=18446744073709551615&_auto_delete_=false'))[0].data, '2')
    c.equal('by tags', (await q.get('k=v&_length_=9')).length, 3)
    c.equal('none', (await q.get('_timeout_=300ms')).length, 0)
    const waiting = q.get('requestId=mine&_timeout_=10s')
    await q.put('other', 'requestId=other')
    await q.put('this', 'requestId=mine')
    c.equal('by request id', (await waiting).map(i => i.data), ['this'])
    c.equal('count', (await q.good('GET', '_count_=true&requestId=other')).body, 1)
    await q.clear()
  },

  // Each group is sent each item.
  async groups(c, q) {
    const early = await q.put('early')
    const first = await watch(q, '_index_=0&_window_=5')
    await first.wants('the first group', early)
    const y = q.another('u1', 'second')
    const second = await watch(y, '_index_=0&_window_=5')
    await second.wants('the second group', early)
    const z = q.another('u1', 'third')
    const third = await watch(z, '_index_=-1&_window_=5')
    const at = await q.fill(3, 'k=v')
    for (const w of [first, second, third]) await w.wants('in parallel', ...at)
    await third.quiet('what was there before')
    const worker = await Worker.open(q.name)
    await q.commit(early, ...at)
    c.equal('passed for workers', await worker.say(`peek ${early}`), 'NOT_FOUND')
    c.equal('but not for groups', await q.length(), 4)
    await y.commit(early, ...at)
    c.equal('the third has not all', await q.length(), 3)
    await z.negative('_code_=Busy', at[0])
    await third.wants('refused', at[0])
    const line = await q.listed('groups', 'third')
    c.equal('group', [line.Pending, line.Delivered, line.Consumers], [3, 4, 1])
    await z.commit(...at)
    c.equal('length', await q.length(), 0)
    const last = await q.put('last')
    for (const w of [first, second, third]) await w.wants('last', last)
    await z.delete(last)
    c.equal('ends for all', await q.length(), 0)
    q.done('remove a group', await q.ask('DELETE', '_group_=second'))
    await second.ends('its group is removed')
    c.equal('groups', (await q.attributes())['groups.stats.total'], 2)
    for (const w of [first, third]) w.cut()
    worker.close()
  },

  // The subprotocol carries commits and negatives.
  async text(c, q) {
    const w = await watch(q, '_window_=2', 'beanfield.json')
    const [a, b] = [await q.put('tëxt "\\\n', 'k=v'), await q.put('b')]
    const item = await w.wants('text', a)
    c.equal('body and tag', [item.data, item.tags.k], ['tëxt "\\\n', 'v'])
    await w.wants('text', b)
    w.socket.send(JSON.stringify({ commit: [a], id: 7 }))
    await w.wants('commit', 'done 7')
    c.equal('length', await q.length(), 1)
    w.socket.send(JSON.stringify({ negative: [b], code: 'Busy', reason: 'no room', id: 8 }))
    c.equal('negative', [(await w.next()).index, (await w.next()).index].sort(), [b, 'done 8'])
    const binary = await q.put(Buffer.from([255, 0]))
    const bytes = await w.wants('bytes', binary)
    c.equal('as base64', Buffer.from(bytes.data, 'latin1').toString('hex'), 'ff00')
    w.socket.send('nonsense')
    await w.ends('nonsense')
    c.equal('its code', w.code, 1008)
    await q.clear()
  },

  async both(c, q) {
    const many = 200
    const worker = await Worker.open(q.name)
    const w = await watch(q, '_index_=0&_window_=3')
    const seen = new Map()
    const take = (index, who) => { c.that('taken once', !seen.has(index), index); seen.set(index, who) }
    const consuming = (async () => {
      for (let n = 0; n < many; n++) {
        const item = await w.next()
        if (item.data === 'last') return
        take(item.index, 'consumer')
        await q.good('PUT', `_indexes_=${item.index}`)
      }
    })()
    const working = (async () => {
      for (;;) {
        const { index } = await worker.reserve(1)
        if (!index && seen.size === many) return
        if (!index) continue
        take(index, 'worker')
        await worker.say(`delete ${index}`)
      }
    })()
    const producer = await Worker.open(q.name)
    for (let i = 0; i < many / 2; i++) await Promise.all([producer.put(`b${i}`), q.put(`h${i}`)])
    await working
    c.equal('each', seen.size, many)
    for (const who of ['worker', 'consumer']) c.that(`some for the ${who}`, [...seen.values()].includes(who), 'none')
    const last = await q.put('last')
    await consuming
    await q.commit(last)
    c.equal('length', await q.length(), 0)
    for (const one of [worker, producer]) one.close()
    w.cut()
  },
}

play(title, sections)
