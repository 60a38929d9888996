package queue

import (
	"strconv"
	"strings"
)

// picker chooses one of n; the label helps to read a failure.
type picker func(n int, label string) int

// spoken are lines of scripts that are said at random, each as often as the number before it says. In a line, {a|b} is
// one of these, and {name} something that is made up.
func spoken(text string) (all []string) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		weight, line, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(weight)
		if err != nil {
			panic(err)
		}
		for range n {
			all = append(all, line)
		}
	}
	return all
}

// fill makes a line that can be said of one with braces, the innermost first.
func (pick picker) fill(line string, make func(name string) string) string {
	for {
		end := strings.Index(line, "}")
		if end < 0 {
			return line
		}
		begin := strings.LastIndex(line[:end], "{")
		name := line[begin+1 : end]
		word := ""
		if words := strings.Split(name, "|"); len(words) > 1 {
			word = words[pick(len(words), name)]
		} else {
			word = make(name)
		}
		line = line[:begin] + word + line[end+1:]
	}
}
