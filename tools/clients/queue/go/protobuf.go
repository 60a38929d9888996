package main

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// item is DataFrameProto: 1 index, 2 tags, 3 data, 4 message.
type item struct {
	index uint64
	tags  map[string]string
	data  string
}

var errWire = errors.New("no protobuf message of the expected kind")

// walk calls visit with each field of a message. Numbers come as n, the rest as b.
func walk(message []byte, visit func(field protowire.Number, n uint64, b []byte) error) error {
	for len(message) > 0 {
		field, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		message = message[size:]
		var n uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(message)
		default:
			return errWire
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		if err := visit(field, n, b); err != nil {
			return err
		}
		message = message[size:]
	}
	return nil
}

// pair adds an entry of a map to it.
func pair(to map[string]string, entry []byte) error {
	var both [3]string
	err := walk(entry, func(field protowire.Number, _ uint64, b []byte) error {
		if field > 2 {
			return errWire
		}
		both[field] = string(b)
		return nil
	})
	to[both[1]] = both[2]
	return err
}

func decodeItem(message []byte) (it item, err error) {
	it.tags = map[string]string{}
	err = walk(message, func(field protowire.Number, n uint64, b []byte) error {
		switch field {
		case 1:
			it.index = n
		case 2:
			return pair(it.tags, b)
		case 3:
			it.data = string(b)
		case 4:
		default:
			return errWire
		}
		return nil
	})
	return it, err
}

// decodeList decodes DataFrameListProto: 1 items.
func decodeList(message []byte) (list []item, err error) {
	err = walk(message, func(field protowire.Number, _ uint64, b []byte) error {
		it, err := decodeItem(b)
		if field != 1 {
			return errWire
		}
		list = append(list, it)
		return err
	})
	return list, err
}

// decodeAttributes decodes AttributesProto: 1 attributes.
func decodeAttributes(message []byte) (all map[string]string, err error) {
	all = map[string]string{}
	return all, walk(message, func(field protowire.Number, _ uint64, b []byte) error {
		if field != 1 {
			return errWire
		}
		return pair(all, b)
	})
}
