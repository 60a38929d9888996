'use strict'
// Takes the steps of extensions/steps.json with node-beanstalk.
//
//     STEPS=beanfield node extensions.js HOST PORT
const { readFileSync } = require('fs')
const { Checks } = require('./checks')
const { Client } = require('../extensions/beanfield')

const [host, port] = process.argv.slice(2)
const part = process.env.STEPS
const tube = 'ext-node'
const bytes = { serialize: body => Buffer.from(body, 'latin1'), deserialize: body => body.toString('latin1') }
const c = new Checks(`node-beanstalk ${require('node-beanstalk/package.json').version} with extensions, ${part}`)

const stand = value => value === '$tube' ? tube : /^\$\d+$/.test(value) ? 'x'.repeat(Number(value.slice(1))) : value
const camel = ({ key_for: keyFor, ...options }) => ({ ...options, keyFor })

async function connect() {
  const client = new Client({ host, port: Number(port), serializer: bytes, maxPayloadSize: 100000 })
  await client.connect()
  await client.use(tube)
  await client.watch(tube)
  await client.ignore('default')
  return client
}

async function call(client, step) {
  switch (step.call) {
    case 'put_with': return [await client.putWith(step.body, camel(step.options))]
    case 'put_batch': {
      const jobs = step.jobs.map(([payload, options]) => ({ payload, ...options }))
      return client.putBatch(Array(step.times || 1).fill(jobs).flat(), { all: step.all })
    }
    case 'reserve_batch': return client.reserveBatch(step.size, step.timeout)
    case 'reserve_with': return client.reserveWith(step)
    case 'list_jobs': {
      const jobs = []
      for await (const job of client.listJobs(step.options)) jobs.push(job)
      return jobs
    }
  }
  return await client.auth(step.token) || []
}

// node-beanstalk's own error, as the word of the protocol.
const word = error => {
  if (error.code === 'ErrResponseRead') return 'LOST'
  const said = error.name === 'CommandError' ? /'([A-Z_]+)'/.exec(error.message)[1] : error.code
  return ['CommandError', 'BeanstalkError'].includes(error.name) ? said || /max-job-size/.test(error.message) && 'JOB_TOO_BIG' : error.stack
}

// An answer as it is in the steps. Jobs that were reserved are deleted by node-beanstalk's own command.
async function plain(client, got) {
  if (got instanceof Error) return word(got)
  if (typeof got === 'number') return 'id'
  if (got.payload === undefined) return got
  await client.delete(got.id)
  const { id, payload: body, ...more } = got
  return more.tube ? { body, ...more } : body
}

// Of a listing, only the keys that are wanted are compared, and jobs come in any order.
function like(got, want) {
  if (!want[0]?.state) return got
  got.sort((a, b) => a.state < b.state ? -1 : a.state > b.state ? 1 : a.pri - b.pri)
  return got.map((job, i) => want[i] ? Object.fromEntries(Object.keys(want[i]).map(key => [key, job[key]])) : job)
}

async function play() {
  setTimeout(() => c.that('whole run', false, 'not done after 60 s') || process.exit(1), 60000)
  const steps = JSON.parse(readFileSync(`${__dirname}/../extensions/steps.json`), (_, value) => stand(value))[part]
  let client
  for (const step of steps) {
    if (!client || part === 'stand-in' && !step.stay) client = await connect()
    let got = [], refused, results
    const start = performance.now()
    try {
      const answer = await call(client, step).catch(async error => {
        if (!step.stay || word(error) !== 'LOST') throw error
        return call(client = await connect(), step)
      })
      for (const job of answer) got.push(await plain(client, job))
    } catch (error) {
      refused = word(error)
      results = await Promise.all((error.results || []).map(result => plain(client, result)))
    }
    const text = value => JSON.stringify(value, (_, v) => v?.constructor === Object ? Object.fromEntries(Object.entries(v).sort()) : v)
    const what = JSON.stringify(step).slice(0, 120)
    c.equal(`${what}, refused`, refused, step.refused)
    if (step.results) c.equal(`${what}, results`, text(results), text(step.results))
    if (step.want) c.equal(what, text(like(got, step.want)), text(step.want))
    if (step.number) c.equal(`${what}, number`, got.length, step.number)
    if (step.took) c.due(`${what}, took`, start, step.took)
  }
}

play().catch(error => c.that('unexpected error', false, error.stack)).then(() => {
  console.log(c.failed ? `FAIL ${c.client}: ${c.failed} of ${c.done} checks failed` : `ok   ${c.client}: ${c.done} checks`)
  process.exit(c.failed ? 1 : 0)
})
