'use strict'
// A server that says what it is asked to say, so that clients meet every answer, and answers that are cut:
// the body of a put, of the first job of a batch, the tag "answer", the text to look for, or the token is what it
// answers. Of "CUT …" it sends the rest and hangs up; if the same comes again, it answers OUT_OF_MEMORY. After "LATE …"
// a put's answer comes before that to the next command. "USED" is inserted where a tube is used, and otherwise refused.
// After "OLD" it hangs up, and knows no more commands than beanstalkd.
const net = require('net')

const verbs = ['put-with', 'put-batch', 'reserve-batch', 'reserve-with', 'list-jobs']
const list = `---\n${verbs.map(verb => `- ${verb}\n`).join('')}`
const batches = { // by the size that is asked for
  1: 'CUT RESERVED_BATCH 2\r\nRESERVED 1 4\r\nab\r\n\r\nRESERVED 2 9\r\n\r\n',
  2: 'CUT RESERVED_BATCH 1\r\nRESERVED 1',
  3: 'CUT ',
  4: 'RESERVED_BATCH 2\r\nRESERVED 7 4\r\na\r\nb\r\nRESERVED 8 0\r\n', // byte by byte
}
const seen = new Set()
let old = false

function answer(socket, line, body) {
  const [verb, size] = line.split(' ')
  if (verb === 'use') return `USING ${socket.used = size}`
  if (verb === 'put') return socket.used ? 'INSERTED 5' : 'DRAINING'
  if (old && [...verbs, 'capabilities', 'auth'].includes(verb)) return 'UNKNOWN_COMMAND'
  if (verb === 'capabilities') return `OK ${list.length}\r\n${list}`
  if (verb === 'watch' || verb === 'ignore') return 'WATCHING 1'
  if (verb === 'delete') return 'DELETED'
  if (verb === 'put-with') return body !== 'USED' ? body : socket.used ? 'INSERTED 6' : 'DRAINING'
  if (verb === 'put-batch') return body.slice(body.indexOf('\r\n') + 2).slice(0, Number(body.split(' ')[3].trim().split('\r')[0]))
  if (verb === 'reserve-batch') return batches[size]
  return decodeURIComponent(/(?:answer=|body=|auth )(.*)/.exec(line)[1])
}

const server = net.createServer(socket => {
  let got = ''
  socket.setNoDelay(true).on('error', () => {}).on('data', async data => {
    got += data.toString('latin1')
    const end = got.indexOf('\r\n')
    if (end < 0) return
    const line = got.slice(0, end)
    const size = line.startsWith('put') ? Number(line.split(' ')[line.startsWith('put ') ? 4 : 1]) + 2 : 0
    if (got.length < end + 2 + size) return
    const text = answer(socket, line, got.slice(end + 2, end + size))
    got = ''
    if (text === 'OLD') {
      old = socket.end('INSERTED 1\r\n')
    } else if (text.startsWith('LATE ')) {
      socket.write(`${text.slice(5)}\r\n`)
      socket.late = 'INSERTED 7\r\n'
    } else if (!text.startsWith('CUT ')) {
      const whole = Buffer.from(`${socket.late || ''}${text}\r\n`)
      if (!line.startsWith('reserve-batch')) return socket.write(whole)
      for (const byte of whole) await new Promise(sent => socket.write(Buffer.from([byte]), sent))
    } else if (seen.has(line + text)) {
      socket.write('OUT_OF_MEMORY\r\n')
    } else {
      seen.add(line + text)
      socket.end(text.slice(4))
    }
  })
})
const [host, port] = [process.argv[process.argv.indexOf('-l') + 1], process.argv[process.argv.indexOf('-p') + 1]]
server.listen(Number(port), host)
