package queueservice

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"beanfield/shard/queue"
)

// appendFrameJSON appends item i as SDKs read it, with its body in base64.
func appendFrameJSON(b []byte, p *queue.DeliveryBatch, i int) []byte {
	b = append(appendHeadJSON(b, p, i), `,"data":"`...)
	return append(base64.StdEncoding.AppendEncode(b, bodyOf(p, i)), `"}`...)
}

// appendItemJSON appends item i as the JSON subprotocol has it, with its body as text
// if that is UTF-8.
func appendItemJSON(b []byte, p *queue.DeliveryBatch, i int, withData bool) []byte {
	b = appendHeadJSON(b, p, i)
	if !withData {
		return append(b, '}')
	}
	body := bodyOf(p, i)
	if utf8.Valid(body) {
		b = append(b, `,"data":`...)
		return append(appendString(b, body), '}')
	}
	b = append(b, `,"data64":"`...)
	return append(base64.StdEncoding.AppendEncode(b, body), `"}`...)
}

func appendHeadJSON(b []byte, p *queue.DeliveryBatch, i int) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendUint(b, p.Items[i].Index, 10)
	b = append(b, `,"tags":{`...)
	comma := false
	for k, v := range p.Tags(i).All() {
		if comma {
			b = append(b, ',')
		}
		comma = true
		b = append(appendString(b, k), ':')
		b = appendString(b, v)
	}
	return append(b, '}')
}

// bodyOf is a body in one piece: base64 takes groups of three bytes, and parts need not end where
// groups do.
func bodyOf(p *queue.DeliveryBatch, i int) []byte {
	if len(p.Items[i].Large) > 0 {
		return appendBody(nil, p, i)
	}
	return p.Small(i)
}

// readJSON reads a text that is one value and nothing else, without fields that nobody knows.
func readJSON(text []byte, into any) (rest bool, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return false, err
	}
	_, err = d.Token()
	return err != io.EOF, nil
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. What is not UTF-8 becomes the replacement
// character.
func appendString(b []byte, s []byte) []byte {
	b = append(b, '"')
	plain := 0 // s[plain:i] needs no escape and is not appended yet
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[plain:i]...)
		switch {
		case c >= utf8.RuneSelf:
			b = utf8.AppendRune(b, utf8.RuneError)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, '\\', c)
		}
		i++
		plain = i
	}
	return append(append(b, s[plain:]...), '"')
}
