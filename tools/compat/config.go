package main

import (
	"os"
	"path/filepath"
)

// unquotedConfig writes the configuration under which beanfield answers stats
// as beanstalkd 1.12 does, without quotes around strings, and spreads tubes over
// several shards also on a machine with few cores.
func unquotedConfig(dir string) (string, error) {
	path := filepath.Join(dir, "compat.toml")
	return path, os.WriteFile(path, []byte(unquotedTOML), 0o600)
}

const unquotedTOML = `shards = 4

[stats]
quote_strings = false
`
