package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"beanfield/tools/clients/checks"
)

var (
	words     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`)
	condition = regexp.MustCompile(`^([a-z-]+)([=>~])(.+)$`)
)

// play plays a line; conversations.txt says what there is.
func (s *session) play(line string) {
	if line == "" || line[0] == '#' {
		return
	}
	w := words.FindAllString(line, -1)
	switch w[0] {
	case "connect":
		s.connect(w[1])
	case "clock":
		s.start = time.Now()
	case "within":
		low, err := time.ParseDuration(w[1])
		must(err)
		high, err := time.ParseDuration(w[2])
		must(err)
		took := time.Since(s.start) // a high bound of a second and more forgives a busy machine
		s.That(line, took >= low && took < high, took)
	case "drain":
		must(syscall.Kill(number(os.Getenv("SERVER_PID")), syscall.SIGUSR1))
	case "until":
		all := s.call(w[1:])
		for end := time.Now().Add(checks.Patience); !all[0].ok && time.Now().Before(end); {
			all = s.call(w[1:])
		}
		s.report(line, all)
	default:
		s.report(line, s.call(w))
	}
}

// answer is something that a line wants, and what came.
type answer struct {
	ok        bool
	want, got any
}

func (s *session) report(line string, all []answer) {
	for _, a := range all {
		s.That(line, a.ok, fmt.Sprintf("%.200q, want %.200q", fmt.Sprint(a.got), fmt.Sprint(a.want)))
	}
}

// call calls a method and compares what it returns.
func (s *session) call(w []string) (all []answer) {
	on, name, _ := strings.Cut(w[0], ".")
	method := reflect.ValueOf(s.names[on]).MethodByName(name)
	var in []reflect.Value
	for i := range method.Type().NumIn() {
		in = append(in, s.argument(w[1+i], method.Type().In(i)))
	}
	out := method.Call(in)
	last := out[len(out)-1].Interface()
	err, _ := last.(error)
	rest := w[1+len(in):]
	if len(rest) > 1 && rest[0] == "!" {
		want := failures[rest[1]]
		return []answer{{want != nil && errors.Is(err, want), want, err}}
	}
	must(err)
	if len(rest) > 1 && rest[0] == "=" {
		s.names[rest[1]], rest = out[0].Interface(), rest[2:]
	}
	if len(rest) == 0 {
		return nil
	}
	for i, want := range rest[1:] { // behind the arrow
		switch got := out[0].Interface().(type) {
		case map[string]string:
			all = append(all, s.stats(got, want)...)
		case []string:
			there := slices.Contains(got, fmt.Sprint(s.value(want[1:], "")))
			all = append(all, answer{there == (want[0] == '+'), want, got})
		default:
			result := out[i]
			if result.Kind() == reflect.Slice {
				result = result.Convert(reflect.TypeFor[string]())
			}
			all = append(all, equal(result.Interface(), s.value(want, "")))
		}
	}
	return all
}

func equal(got, want any) answer { return answer{fmt.Sprint(got) == fmt.Sprint(want), want, got} }

// stats compares a key, or wants those that are known; the library loses their order.
func (s *session) stats(got map[string]string, want string) (all []answer) {
	if list, ok := strings.CutPrefix(want, "@"); ok {
		name, more := strings.CutSuffix(list, "+")
		if known[name] == nil {
			must(errors.New("no keys are known of " + name))
		}
		for _, key := range known[name] {
			_, there := got[key]
			all = append(all, answer{there, key, got})
		}
		for key := range got {
			all = append(all, answer{more || slices.Contains(known[name], key), known[name], key})
		}
		return all
	}
	c := condition.FindStringSubmatch(want)
	key, is := c[1], got[c[1]]
	low, high, span := strings.Cut(c[3], "..")
	a := equal(is, s.value(c[3], key))
	switch {
	case c[2] == "~":
		a.ok = regexp.MustCompile(c[3]).MatchString(is)
	case c[2] == ">":
		a.ok = number(is) > number(fmt.Sprint(s.value(c[3], key)))
	case span:
		a.ok = number(is) >= number(low) && number(is) <= number(high)
	}
	return []answer{a}
}

// value is a word's: itself, a text in quotation marks, or what a name stands for; of earlier stats, those of a key.
func (s *session) value(word, key string) any {
	if strings.HasPrefix(word, `"`) {
		text, err := strconv.Unquote(word)
		must(err)
		return text
	}
	name, ok := strings.CutPrefix(word, "$")
	if !ok {
		return word
	}
	name, more, add := strings.Cut(name, "+")
	v := s.names[name]
	if stats, ok := v.(map[string]string); ok {
		v = stats[key]
	}
	if add {
		return number(fmt.Sprint(v)) + number(more)
	}
	return v
}

// argument is a word as a method takes it.
func (s *session) argument(word string, kind reflect.Type) reflect.Value {
	v := s.value(word, "")
	switch {
	case kind == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(word)
		must(err)
		return reflect.ValueOf(d)
	case reflect.TypeOf(v) == reflect.TypeFor[string]() && kind.ConvertibleTo(reflect.TypeFor[int]()):
		v = number(word)
	}
	return reflect.ValueOf(v).Convert(kind)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	must(err)
	return n
}
