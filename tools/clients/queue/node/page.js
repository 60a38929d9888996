'use strict'
// A page in Chromium is a worker: it is pushed items as text, and commits or refuses
// them on its socket. This script serves the page, puts the items, and looks at what
// the page has written and what has become of them.
//
//     PAGE_PORT=N node page.js HOST PORT QUEUE_PORT
const fs = require('fs')
const http = require('http')
const os = require('os')
const path = require('path')
const { spawn, execFileSync } = require('child_process')
const { play } = require('./play')
const { Worker, host, queuePort, TOKEN } = require('./queue')

const pagePort = Number(process.env.PAGE_PORT)
const chromium = process.env.CHROMIUM || 'chromium'
const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']

// serve serves the page, with what it is to report to this script.
function serve(port) {
  const page = fs.readFileSync(path.join(__dirname, 'worker.html'), 'utf8')
  const reporting = page.replace('</script>', `setInterval(() => fetch('/report', { method: 'POST', body: document.getElementById('log').textContent }), 50)\n</script>`)
  const server = http.createServer((request, answer) => {
    if (request.method !== 'POST') return answer.end(request.url.startsWith('/worker') ? reporting : '')
    let text = ''
    request.on('data', part => { text += part })
    request.on('end', () => { server.report = text; answer.end() })
  })
  server.report = ''
  return new Promise((resolve, reject) => server.on('error', reject).listen(port, '127.0.0.1', () => resolve(server)))
}

// browse opens the page in a browser of its own, which is ended by calling the result.
function browse(port, queue) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'))
  const target = `ws://${host}:${queuePort}${queue.path}`
  const url = `http://127.0.0.1:${port}/worker?${new URLSearchParams({ queue: target, token: TOKEN })}`
  // A group of its own, because a browser is many processes.
  const browser = spawn(chromium, [...quiet, `--user-data-dir=${home}`, '--remote-debugging-port=0', url], { stdio: 'ignore', detached: true })
  const gone = new Promise(resolve => browser.on('exit', resolve))
  return async () => {
    try { process.kill(-browser.pid, 'SIGKILL') } catch { /* it has ended */ }
    await gone
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

const lines = server => server.report.trimEnd().split('\n')

const sections = {
  async worker(c, q) {
    const server = await serve(pagePort)
    q.group = 'default_group'
    q.user = 'page'
    const [early, bytes] = [await q.put('tëxt "\\', 'task=1'), await q.put(Buffer.from([255, 0]))]
    const close = browse(pagePort, q)
    try {
      await q.until('length when the page has committed', 0, () => q.length())
      const want = [`${early} tëxt "\\ 1`, `${bytes} base64 /wA= `, `done ${early}`, `done ${bytes}`].sort()
      await q.until('what the page has seen', want, () => lines(server).sort())
      const line = await q.consumer()
      for (const [key, value] of Object.entries({ Pending: 0, Status: 'Running', Window: 5, Slots: 5, AutoCommit: 'false' })) c.equal(key, line[key], value)

      const producer = await Worker.open(q.name)
      const at = []
      for (let i = 0; i < 20; i++) at.push(i % 2 ? await producer.put(`b${i}`) : await q.put(`h${i}`))
      await q.until('length', 0, () => q.length())
      await q.until('both front ends, in order', at.map((index, i) => `${index} ${i % 2 ? 'b' : 'h'}${i} `), () => lines(server).slice(4).filter(text => !text.startsWith('done')))

      const bad = await q.put('bad')
      const rear = q.rear()
      await q.until('what is refused five times', 1, () => rear.length())
      c.equal('its last words', (await rear.search(bad)).Code, 'Bad')
      await q.until('pushed', 5, () => lines(server).filter(text => text === `${bad} bad `).length)
      c.equal('length', await q.length(), 0)
      producer.close()
    } finally {
      await close()
      await new Promise(resolve => { server.close(resolve); server.closeAllConnections() })
    }
    await q.until('the page has gone', 'Complete', async () => (await q.consumer()).Status)
  },

  // A page of another origin is not let in.
  async stranger(c, q) {
    const server = await serve(0)
    const id = await q.put('secret')
    const close = browse(server.address().port, q)
    try {
      await q.until('what the page has seen', 'closed 1006 ', () => server.report.trimEnd() + ' ')
      c.equal('consumers', (await q.attributes())['consumers.stats.total'], 0)
      c.equal('the item', (await q.get('_auto_delete_=true'))[0].index, id)
    } finally {
      await close()
      await new Promise(resolve => { server.close(resolve); server.closeAllConnections() })
    }
  },
}

play(execFileSync(chromium, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim().split(' ').slice(0, 2).join(' '), sections)
