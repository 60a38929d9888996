package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// secrets is a setting that is a list of tokens. Neither -check-config nor a mistake shows
// them. What -check-config shows instead is no list: whoever copies it into a file gets a
// mistake, and not a server that lets everybody in.
func secrets(key string, field func(*Config) *[]string) setting[Config] {
	s := row(key, "", "texts", `a list of texts, none of them ""; [] to let everybody in`, field, asSecrets, func(list []string) string {
		if n := len(list); n > 0 {
			return quote(strconv.Itoa(n) + ", not shown")
		}
		return showTexts(nil)
	})
	s.secret, s.same = true, func(a, b *Config) bool { return slices.Equal(*field(a), *field(b)) }
	return s
}

// readable complains of a configuration with secrets that every user of the machine can read. The
// tokens of rules are hashes.
func (c *Config) readable() (list []string) {
	for _, x := range []struct {
		key     string
		secrets int
	}{
		{"queue.tokens", len(c.Queue.Tokens)}, {"http.tokens", len(c.HTTP.Tokens)},
		{"cluster.secret", len(c.Cluster.Secret)}, {"cluster.engine", strings.Count(strings.Join(c.Cluster.Engine, " "), "@")},
	} {
		at := c.from[x.key]
		info, err := os.Stat(at.file)
		if x.secrets > 0 && err == nil && info.Mode().Perm()&0o004 != 0 {
			list = append(list, fmt.Sprintf("%s (%s) can be read by every user of this machine: chmod o-r %s", x.key, at, at.file))
		}
	}
	return list
}

// asSecrets takes an array of texts. An empty one would let in everybody who sends an empty
// password.
func asSecrets(v any) ([]string, error) {
	list, err := asTexts(v)
	for _, s := range list {
		if s == "" {
			return nil, errors.New("in the list: an empty text")
		}
	}
	return list, err
}
