package listing

import (
	"encoding/hex"

	"beanfield/storage"
)

// optionsLine is what a put has said besides what a plain one can, as JSON.
type optionsLine struct {
	Key        []byte `json:"key_base64,omitempty"`
	KeyUntil   string `json:"key_until,omitempty"`
	Once       []byte `json:"once_base64,omitempty"`
	OnceUntil  string `json:"once_until,omitempty"`
	Of         uint64 `json:"of_job,omitempty"` // of what is left of a job that has ended
	KeyHash    string `json:"key_hash,omitempty"`
	TTR        int64  `json:"ttr_ms,omitempty"`
	Expires    string `json:"expires,omitempty"`
	Deliveries uint32 `json:"deliveries,omitempty"`
}

func optionsLineOf(i *storage.Item) *optionsLine {
	if i.Keys == nil && i.Options == nil {
		return nil
	}
	line := new(optionsLine)
	if k := i.Keys; k != nil {
		if line.Of = k.Of; k.Of != 0 {
			line.KeyHash = hex.EncodeToString(k.Key)
		} else {
			line.Key = k.Key
		}
		line.Once, line.KeyUntil, line.OnceUntil = k.Once, momentOrNone(k.KeyUntil), momentOrNone(k.OnceUntil)
	}
	if t := i.Options; t != nil {
		line.TTR, line.Expires, line.Deliveries = t.TTR/1e6, momentOrNone(t.Expires), t.Deliveries
	}
	return line
}

// momentOrNone leaves out a time that is not set.
func momentOrNone(nanos int64) string {
	if nanos == 0 {
		return ""
	}
	return moment(nanos)
}
