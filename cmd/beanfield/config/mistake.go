package config

import (
	"cmp"
	"slices"
	"strings"

	"beanfield/cmd/beanfield/exit"
)

// Mistake is one thing that is wrong with the flags or the configuration file.
// Fields that do not apply are empty.
type Mistake struct {
	Origin         // not the flag of a setting: that is the Key then
	Key     string // as written in the file, with its table; or the flag
	Value   string // as TOML writes it
	Problem string
	Allowed string
	Code    int  // exit code; 0: exit.Usage
	Absent  bool // something is missing, perhaps because its name is one of the other mistakes
}

// String reads "file:line: key = value: problem; allowed: ...".
func (m Mistake) String() string {
	var parts []string
	switch {
	case m.File != "" && m.Line == 0:
		parts = append(parts, m.File)
	case m.File != "":
		parts = append(parts, m.Origin.String())
	}
	switch {
	case m.Key != "" && m.Value == "":
		parts = append(parts, m.Key)
	case strings.HasPrefix(m.Key, "-"):
		parts = append(parts, m.Key+" "+m.Value)
	case m.Key != "":
		parts = append(parts, m.Key+" = "+m.Value)
	}
	s := strings.Join(append(parts, m.Problem), ": ")
	if m.Allowed != "" && !strings.HasSuffix(s, "?") {
		s += ";"
	}
	if m.Allowed != "" {
		s += " allowed: " + m.Allowed
	}
	return s
}

// Mistakes are all that were found: the error of loading a configuration.
type Mistakes []Mistake

// mistake is one with a setting outside of arrays.
func (c *Config) mistake(key, problem string) Mistake {
	row, o := c.row(key), c.From[key]
	if o.Flag != "" {
		return Mistake{Key: o.Flag, Value: row.field.String(), Problem: problem}
	}
	return Mistake{Origin: o, Key: key, Value: row.show(), Problem: problem}
}

// sort puts mistakes of the file first, by line, but for what is missing in it, which comes
// behind them, and then those of the flags, in their order.
func (ms Mistakes) sort() {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		switch {
		case a.File == "" && b.File == "":
			return 0
		case a.File == "":
			return 1
		case b.File == "":
			return -1
		}
		if a.Absent != b.Absent {
			return map[bool]int{false: -1, true: 1}[a.Absent]
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
	})
}

// Error has one line for each mistake.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// ExitCode is that of the first mistake, as a process has only one.
func (ms Mistakes) ExitCode() int {
	if len(ms) > 0 && ms[0].Code != 0 {
		return ms[0].Code
	}
	return exit.Usage
}
