package main

import (
	"errors"
	"slices"
	"strconv"
)

// secrets is a setting that is a list of tokens. Neither -check-config nor a mistake shows
// them. What -check-config shows instead is no list: whoever copies it into a file gets a
// mistake, and not a server that lets everybody in.
func secrets(key string, field func(*Config) *[]string) setting[Config] {
	return setting[Config]{
		copy: copies(field),
		same: func(a, b *Config) bool { return slices.Equal(*field(a), *field(b)) },

		key: key, unit: "texts", allowed: `a list of texts, none of them ""; [] to let everybody in`, secret: true,
		set: func(c *Config, v any) (err error) { *field(c), err = asSecrets(v); return err },
		show: func(c *Config) string {
			if n := len(*field(c)); n > 0 {
				return quote(strconv.Itoa(n) + ", not shown")
			}
			return showTexts(nil)
		},
	}
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
