package queueservice

import (
	"bytes"
	"strings"
	"testing"

	"beanfield/shard/queue"

	"google.golang.org/protobuf/encoding/protowire"
)

// packed is a delivery batch of items.
func packed(items ...sent) *queue.DeliveryBatch {
	p := &queue.DeliveryBatch{}
	for _, it := range items {
		from := len(p.Bytes)
		p.Bytes = append(p.Bytes, queue.MakeTags(it.tags)...)
		body := len(p.Bytes)
		p.Bytes = append(p.Bytes, it.body...)
		p.Items = append(p.Items, queue.Item{Index: it.index, Size: uint32(len(it.body)),
			TagsAt: uint32(from), BodyAt: uint32(body), BodyEnd: uint32(len(p.Bytes))})
	}
	return p
}

// sent is an item as a test writes it.
type sent struct {
	index uint64
	tags  map[string]string
	body  string
}

// bulky is a delivery batch of one item with a body in parts of a megabyte.
func bulky(megabytes int) *queue.DeliveryBatch {
	p := packed(sent{1, nil, ""})
	for range megabytes {
		p.Items[0].Large = append(p.Items[0].Large, bytes.Repeat([]byte("x"), 1<<20))
	}
	p.Items[0].Size = uint32(megabytes << 20)
	return p
}

// fieldsOf takes a message of protobuf apart: the values of each field, without their lengths.
func fieldsOf(t testing.TB, b []byte) map[protowire.Number][]string {
	t.Helper()
	all := map[protowire.Number][]string{}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(field, kind, b[max(n, 0):])
		if n < 0 || size < 0 {
			t.Fatalf("not protobuf: % x", b)
		}
		value := b[n : n+size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		all[field], b = append(all[field], string(value)), b[n+size:]
	}
	return all
}

// frameOf takes a DataFrame apart.
func frameOf(t testing.TB, b []byte) sent {
	t.Helper()
	fields := fieldsOf(t, b)
	index, _ := protowire.ConsumeVarint([]byte(strings.Join(fields[fieldIndex], "")))
	it := sent{index, map[string]string{}, strings.Join(fields[fieldData], "")}
	for _, text := range fields[fieldTags] {
		entry := fieldsOf(t, []byte(text))
		it.tags[entry[fieldKey][0]] = entry[fieldValue][0]
	}
	return it
}

// The messages that both SDKs decode. An empty body is no field.
func TestGoldenMessages(t *testing.T) {
	p := packed(sent{13, map[string]string{"requestId": "0000000d-rid"}, "0"}, sent{1, nil, ""})
	const first = "\x08\x0d\x12\x19\x0a\x09requestId\x12\x0c0000000d-rid\x1a\x010"
	if got, want := string(appendFrames(nil, p)), "\x0a\x20"+first+"\x0a\x02\x08\x01"; got != want {
		t.Errorf("list %q, want %q", got, want)
	}
	got := string(appendAttributes(nil, map[string]string{"b": "2", "a": ""}))
	if want := "\x0a\x05\x0a\x01a\x12\x00\x0a\x06\x0a\x01b\x12\x012"; got != want {
		t.Errorf("attributes %q, want %q", got, want)
	}
}
