package queueservice

import (
	"maps"
	"slices"

	"beanfield/shard/queue"

	"google.golang.org/protobuf/encoding/protowire"
)

// Media types of replies.
const (
	typeProtobuf = "application/vnd.google.protobuf"
	typeJSON     = "application/json"
	typeText     = "text/plain; charset=utf-8"
	typeBytes    = "application/octet-stream"
)

// Fields of the messages DataFrame {index, tags, data, message}, DataFrameList
// {index: frames} and Attributes {attributes}. An entry of a map is a message {key,
// value}.
const (
	fieldIndex, fieldTags, fieldData = 1, 2, 3
	fieldFrames                      = 1
	fieldAttributes                  = 1
	fieldKey, fieldValue             = 1, 2
)

// sizeFrame is how long item i of a delivery batch is as a DataFrame. withData is false for
// consumers that asked for indexes only.
func sizeFrame(p *queue.DeliveryBatch, i int, withData bool) int {
	it := &p.Items[i]
	n := protowire.SizeTag(fieldIndex) + protowire.SizeVarint(it.Index)
	for k, v := range p.Tags(i).All() {
		n += protowire.SizeTag(fieldTags) + protowire.SizeBytes(sizeEntry(len(k), len(v)))
	}
	if withData && it.Size > 0 {
		n += protowire.SizeTag(fieldData) + protowire.SizeBytes(int(it.Size))
	}
	return n
}

func sizeEntry(key, value int) int {
	return protowire.SizeTag(fieldKey) + protowire.SizeBytes(key) + protowire.SizeTag(fieldValue) + protowire.SizeBytes(
		value)
}

// appendFrameHead appends a DataFrame up to its data, which is its last field.
func appendFrameHead(b []byte, p *queue.DeliveryBatch, i int, withData bool) []byte {
	it := &p.Items[i]
	b = protowire.AppendTag(b, fieldIndex, protowire.VarintType)
	b = protowire.AppendVarint(b, it.Index)
	for k, v := range p.Tags(i).All() {
		b = protowire.AppendTag(b, fieldTags, protowire.BytesType)
		b = appendEntry(b, k, v)
	}
	if withData && it.Size > 0 {
		b = protowire.AppendTag(b, fieldData, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(it.Size))
	}
	return b
}

func appendEntry[T ~string | ~[]byte](b []byte, key, value T) []byte {
	b = protowire.AppendVarint(b, uint64(sizeEntry(len(key), len(value))))
	b = protowire.AppendTag(b, fieldKey, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(key)))
	b = append(b, key...)
	b = protowire.AppendTag(b, fieldValue, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(value)))
	return append(b, value...)
}

// appendBody appends the bytes of item i.
func appendBody(b []byte, p *queue.DeliveryBatch, i int) []byte {
	b = append(b, p.Small(i)...)
	for _, part := range p.Items[i].Large {
		b = append(b, part...)
	}
	return b
}

// appendFrames appends a DataFrameList of a delivery batch's items.
func appendFrames(b []byte, p *queue.DeliveryBatch) []byte {
	for i := range p.Items {
		b = protowire.AppendTag(b, fieldFrames, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(sizeFrame(p, i, true)))
		b = appendBody(appendFrameHead(b, p, i, true), p, i)
	}
	return b
}

// appendAttributes appends an Attributes message.
func appendAttributes(b []byte, attributes map[string]string) []byte {
	for _, k := range slices.Sorted(maps.Keys(attributes)) {
		b = protowire.AppendTag(b, fieldAttributes, protowire.BytesType)
		b = appendEntry(b, k, attributes[k])
	}
	return b
}
