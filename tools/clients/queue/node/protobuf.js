'use strict'
// A reader of the three messages of the queue service.

// fields lists [number, value] of a message; values are BigInts or Buffers.
function fields(b) {
  const list = []
  let at = 0
  const varint = () => {
    let n = 0n
    for (let shift = 0n; ; shift += 7n) {
      if (at >= b.length || shift > 63n) throw new Error('no protobuf message')
      const byte = BigInt(b[at++])
      n |= (byte & 127n) << shift
      if (byte < 128n) return n
    }
  }
  while (at < b.length) {
    const key = Number(varint())
    if ((key & 7) === 0) {
      list.push([key >> 3, varint()])
      continue
    }
    if ((key & 7) !== 2) throw new Error(`a field of the unexpected kind ${key & 7}`)
    const size = Number(varint())
    if (at + size > b.length) throw new Error('no whole protobuf message')
    list.push([key >> 3, b.subarray(at, at += size)])
  }
  return list
}

const text = new TextDecoder('utf-8', { fatal: true })

function pairs(entries) {
  return Object.fromEntries(entries.map(entry => {
    const { 1: key = '', 2: value = '' } = Object.fromEntries(fields(entry).map(([n, b]) => [n, text.decode(b)]))
    return [key, value]
  }))
}

// decodeItem decodes DataFrameProto: 1 index, 2 tags, 3 data, 4 message.
function decodeItem(b) {
  const all = fields(b)
  const one = (n, absent) => all.find(f => f[0] === n)?.[1] ?? absent
  if (all.some(f => f[0] > 4)) throw new Error('an unknown field')
  return { index: Number(one(1, 0n)), tags: pairs(all.filter(f => f[0] === 2).map(f => f[1])), data: one(3, Buffer.alloc(0)).toString() }
}

const decodeList = b => fields(b).map(f => decodeItem(f[1]))
const decodeAttributes = b => pairs(fields(b).map(f => f[1]))

module.exports = { decodeItem, decodeList, decodeAttributes }
