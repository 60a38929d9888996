//go:build linux

package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"beanfield/tools/bench/load"
)

// A kept measurement is a line of a file, from which a comparison goes on that was ended.
type kept struct {
	Key    string
	Rounds []*load.Result // of one round, the load's own reference behind it
	Absent string
}

// keeper is a file of them; without a path, nothing is kept.
type keeper struct {
	path string
	have map[string]kept
}

func keepIn(path string) (keeper, error) {
	k := keeper{path, map[string]kept{}}
	text, err := os.ReadFile(path)
	if path == "" || os.IsNotExist(err) {
		return k, nil
	}
	for line := range bytes.Lines(text) {
		var one kept
		if err := json.Unmarshal(line, &one); err != nil {
			return k, fmt.Errorf("%s: %w", path, err)
		}
		k.have[one.Key] = one
	}
	return k, err
}

// found restores a measurement, if it is there.
func (k *keeper) found(key string, p *peerResult) bool {
	one, ok := k.have[key]
	if ok {
		p.absent = one.Absent
		if len(one.Rounds) > 0 {
			p.rounds, p.own = append(p.rounds, one.Rounds[0]), append(p.own, one.Rounds[1:]...)
		}
	}
	return ok
}

// keep adds the last measurement of a server.
func (k *keeper) keep(key string, p *peerResult) error {
	if k.path == "" {
		return nil
	}
	one := kept{Key: key, Absent: p.absent}
	if n := len(p.rounds); p.absent == "" {
		one.Rounds = append(one.Rounds, p.rounds[n-1])
		if len(p.own) == n {
			one.Rounds = append(one.Rounds, p.own[n-1])
		}
	}
	line, err := json.Marshal(one)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(k.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.Close()
}
