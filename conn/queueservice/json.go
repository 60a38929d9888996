package queueservice

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"beanfield/shard/queue"
)

// appendFrameJSON appends item i as SDKs read it, with its body in base64.
func appendFrameJSON(b []byte, p *queue.DeliveryBatch, i int) []byte {
	b = appendHeadJSON(b, p, i)
	b = append(b, `,"data":"`...)
	b = appendBase64(b, p, i)
	return append(b, `"}`...)
}

// appendItemJSON appends item i as the JSON subprotocol has it, with its body as text
// if that is UTF-8.
func appendItemJSON(b []byte, p *queue.DeliveryBatch, i int, withData bool) []byte {
	b = appendHeadJSON(b, p, i)
	if !withData {
		return append(b, '}')
	}
	body := p.Small(i)
	if len(p.Items[i].Large) > 0 {
		body = appendBody(nil, p, i)
	}
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

// appendBase64 appends a body in base64. The parts of a body are joined first: base64
// takes groups of three bytes, and parts need not end where groups do.
func appendBase64(b []byte, p *queue.DeliveryBatch, i int) []byte {
	body := p.Small(i)
	if len(p.Items[i].Large) > 0 {
		body = appendBody(nil, p, i)
	}
	return base64.StdEncoding.AppendEncode(b, body)
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
