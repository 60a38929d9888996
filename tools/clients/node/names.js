'use strict'
// Reads stats-tube and stats-job of every name in ../names.json, and of every name of one and two characters, with a
// reader of YAML 1.2: each name must come back as that very text, and a usual one must be written without quotes.
//
//     node names.js HOST PORT
//
// in the folder that holds names.json.
const fs = require('fs')
const net = require('net')
const YAML = require('yaml')
const { Checks } = require('./checks')

const TIME_LIMIT = 60 // seconds, of the whole run
const { misread, plain } = JSON.parse(fs.readFileSync('names.json'))
const first = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/;.$_()']
const short = first.flatMap(a => [a, ...first.map(b => a + b), `${a}-`])
const names = [...misread, ...plain, ...short]

const title = `yaml ${require('yaml/package.json').version}`
const c = new Checks(title)
c.section = 'names'

// The documents in what the server has sent: each stands behind its length.
function documents(text) {
  const found = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n', at) + 2
    const ok = /^OK (\d+)\r\n$/.exec(text.slice(at, end))
    at = end
    if (!ok) continue
    found.push(text.slice(at, at + Number(ok[1])))
    at += Number(ok[1]) + 2
  }
  return found
}

function check(what, key, name, document) {
  c.equal(`${what} has all keys`, (document.match(/\n/g) || []).length, 15)
  const value = YAML.parse(document)[key]
  c.that(`${what} of ${name}`, value === name, JSON.stringify(value))
  if (plain.includes(name)) c.that(`${what} of ${name} has no quotes`, document.includes(`\n${key}: ${name}\n`), document)
}

async function main() {
  const [host, port] = process.argv.slice(2)
  const socket = net.connect(Number(port), host)
  const commands = names.map((name, i) => `use ${name}\r\nput 0 0 60 1\r\nx\r\nstats-tube ${name}\r\nstats-job ${i + 1}\r\n`)
  socket.end(commands.join(''))
  const chunks = []
  for await (const chunk of socket) chunks.push(chunk)
  const all = documents(Buffer.concat(chunks).toString('latin1'))
  c.equal('documents', all.length, 2 * names.length)
  names.forEach((name, i) => {
    check('stats-tube', 'name', name, all[2 * i])
    check('stats-job', 'tube', name, all[2 * i + 1])
  })
  console.log(c.failed ? `FAIL ${title}: ${c.failed} of ${c.done} checks failed` : `ok   ${title}: ${c.done} checks`)
  process.exit(c.failed ? 1 : 0)
}

setTimeout(() => {
  console.error(`FAIL ${title}: not done after ${TIME_LIMIT} s`)
  process.exit(1)
}, TIME_LIMIT * 1000)
main().catch(error => {
  console.error(`FAIL ${title}: ${error.stack}`)
  process.exit(1)
})
