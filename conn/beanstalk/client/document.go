package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Field is one line of a stats reply.
type Field struct {
	Key, Value string
	text       bool // it is not a number or a truth value, whatever it looks like
}

// Document is a stats reply, in its order.
type Document []Field

// texts are keys whose values are text, also where a server does not quote them.
var texts = map[string]bool{"name": true, "tube": true, "state": true, "version": true, "hostname": true, "os": true,
	"platform": true}

// Stats asks for a stats reply: of the server, of a tube or of a job.
func (c *Client) Stats(command string) (Document, error) {
	r, err := c.Get("OK", "%s", command)
	if err != nil {
		return nil, err
	}
	return ParseDocument(r.Body)
}

// Document is the stats in a reply, empty if it has none.
func (r Reply) Document() Document {
	d, err := ParseDocument(r.Body)
	if err != nil {
		return nil
	}
	return d
}

// ParseDocument reads the body of a stats reply.
func ParseDocument(body []byte) (d Document, err error) {
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "---" || line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%w: %.60q in a stats reply", errStranger, line)
		}
		f := Field{Key: key, Value: strings.TrimPrefix(value, " "), text: texts[key]}
		if n := len(f.Value); n > 1 && f.Value[0] == '"' && f.Value[n-1] == '"' {
			f.text = true
			if plain, err := strconv.Unquote(f.Value); err == nil {
				f.Value = plain
			} else {
				f.Value = f.Value[1 : n-1] // a server that escapes nothing
			}
		}
		d = append(d, f)
	}
	if d.Get("pid") != "" {
		for i := range d {
			// A job's id is a number; the server's is text that may look like one.
			d[i].text = d[i].text || d[i].Key == "id"
		}
	}
	return d, nil
}

// Get returns the value of a key, or "".
func (d Document) Get(key string) string {
	for _, f := range d {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// Number returns the value of a key as a number, or 0.
func (d Document) Number(key string) int64 {
	n, _ := strconv.ParseInt(d.Get(key), 10, 64)
	return n
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// MarshalJSON writes one object with the keys in their order. Numbers are JSON numbers, and
// true and false are JSON booleans.
func (d Document) MarshalJSON() ([]byte, error) {
	out := bytes.NewBufferString("{")
	for i, f := range d {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(f.Key)
		if err != nil {
			return nil, err
		}
		value := []byte(f.Value)
		if f.text || !number.MatchString(f.Value) && f.Value != "true" && f.Value != "false" {
			if value, err = json.Marshal(f.Value); err != nil {
				return nil, err
			}
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Tubes asks for the names of all tubes.
func (c *Client) Tubes() (names []string, err error) {
	r, err := c.Get("OK", "list-tubes")
	return r.List(), err
}
