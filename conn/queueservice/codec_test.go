package queueservice

import (
	"bytes"
	"encoding/hex"
	"testing"

	"beanfield/shard/queue"
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

// The frame that both SDKs decode.
func TestGoldenFrame(t *testing.T) {
	p := packed(sent{13, map[string]string{"requestId": "0000000d-rid"}, "0"})
	want, _ := hex.DecodeString("080d12190a09726571756573744964120c30303030303030642d7269641a0130")
	got := appendBody(appendFrameHead(nil, p, 0, true), p, 0)
	if !bytes.Equal(got, want) {
		t.Errorf("frame % x, want % x", got, want)
	}
	if n := sizeFrame(p, 0, true); n != len(want) {
		t.Errorf("size %d, want %d", n, len(want))
	}
	list := append([]byte{0x0a, byte(len(want))}, want...)
	if got := appendFrames(nil, p); !bytes.Equal(got, list) {
		t.Errorf("list % x, want % x", got, list)
	}
}

// A large body comes in parts, and an empty one is no field.
func TestFrameBodies(t *testing.T) {
	p := packed(sent{1, nil, ""})
	if got := appendFrames(nil, p); !bytes.Equal(got, []byte{0x0a, 2, 8, 1}) {
		t.Errorf("empty body: % x", got)
	}
	it := &p.Items[0]
	it.Large, it.Size = [][]byte{[]byte("ab"), []byte("c")}, 3
	if got := appendFrames(nil, p); !bytes.Equal(got, []byte{0x0a, 7, 8, 1, 0x1a, 3, 'a', 'b', 'c'}) {
		t.Errorf("parts: % x", got)
	}
	if got := appendFrameHead(nil, p, 0, false); !bytes.Equal(got, []byte{8, 1}) || sizeFrame(p, 0, false) != 2 {
		t.Errorf("index only: % x", got)
	}
}

func TestAttributesMessage(t *testing.T) {
	got := appendAttributes(nil, map[string]string{"b": "2", "a": ""})
	if want := []byte("\x0a\x05\x0a\x01a\x12\x00\x0a\x06\x0a\x01b\x12\x012"); !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
}
