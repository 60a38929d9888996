package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"beanfield/cmd/beanfield/command"
	"beanfield/cmd/beanfield/exit"
)

// Flags is the command line as it was given. A nil pointer means that the flag
// was absent; then the file counts, or the default.
type Flags struct {
	Help    bool
	Version bool
	Check   bool
	File    string

	addr, port    *string
	binlogMaxSize *int    // only shown in stats
	queue         *string // -queue
	HTTP          *string // -http
	verbose       int
	said          []said

	Warnings []string
}

// said is a setting that a flag overrides, with a value as a file would have it.
type said struct {
	flag, key string
	value     any
}

// say overrides a setting. The later of two flags for it wins: -F after -f also takes the interval back.
func (r *flagReader) say(flag, key string, value any) {
	old := func(s said) bool { return s.key == key || key == "storage.sync" && s.key == "storage.sync_interval" }
	r.said = append(slices.DeleteFunc(r.said, old), said{flag, key, value})
}

// usageError is a command line that cannot be read. The usage text follows it.
type usageError string

func (e usageError) Error() string { return string(e) }
func (usageError) ExitCode() int   { return exit.Usage }

// flagReader walks the arguments. rest is what follows the current short flag in
// its word: more flags, or its value.
type flagReader struct {
	Flags
	args []string
	rest string
}

// ParseFlags reads the command line as beanstalkd does: short flags may be
// bundled, a value is joined or the next word, the later of two equal flags wins,
// and -v and -h end the reading at once. The long flags are beanfield's own, with
// one dash or two. A word is compared with them before it is taken for a bundle;
// beanstalkd would have accepted none of them as one.
func ParseFlags(args []string) (Flags, error) {
	r := flagReader{args: args}
	for len(r.args) > 0 && !r.ended() {
		word := r.args[0]
		r.args = r.args[1:]
		long, err := r.long(word)
		if !long && err == nil {
			err = r.bundle(word)
		}
		if err != nil {
			return r.Flags, err
		}
	}
	return r.Flags, nil
}

func (r *flagReader) ended() bool { return r.Help || r.Version }

// long reads word if it is one of the long flags, and says whether it was.
func (r *flagReader) long(word string) (bool, error) {
	name, value, joined := strings.Cut(word, "=")
	if strings.HasPrefix(name, "--") {
		name = name[1:]
	}
	set := map[string]*bool{"-help": &r.Help, "-version": &r.Version, "-check-config": &r.Check}[name]
	switch {
	case set != nil && joined:
		return true, usageError("flag takes no value: " + word)
	case set != nil:
		*set = true
		return true, nil
	case !slices.Contains([]string{"-config", "-shards", "-queue", "-http"}, name):
		return false, nil
	}
	if !joined {
		var err error
		if value, err = r.value(name); err != nil {
			return true, err
		}
	}
	switch name {
	case "-config":
		r.File = value
		if value == "" {
			return true, usageError("-config needs the name of a file")
		}
		return true, nil
	case "-queue", "-http":
		*map[string]**string{"-queue": &r.queue, "-http": &r.HTTP}[name] = &value
		return true, nil
	}
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil || n > maxShards {
		return true, usageError(fmt.Sprintf("invalid number of shards: %s (0 to %d)", value, maxShards))
	}
	r.say("-shards", "shards", int64(n))
	return true, nil
}

// bundle reads a word of short flags.
func (r *flagReader) bundle(word string) error {
	switch {
	case strings.HasPrefix(word, "--"):
		return usageError("unknown flag: " + word)
	case len(word) < 2 || word[0] != '-':
		return usageError("unknown argument: " + word)
	}
	r.rest = word[1:]
	for r.rest != "" && !r.ended() {
		_, n := utf8.DecodeRuneInString(r.rest)
		name := r.rest[:n]
		r.rest = r.rest[n:]
		if err := r.short(name); err != nil {
			return err
		}
	}
	return nil
}

func (r *flagReader) short(name string) error {
	switch name {
	case "h":
		r.Help = true
	case "v":
		r.Version = true
	case "V":
		r.verbose = min(r.verbose+1, 2)
		r.say("-"+"VV"[:r.verbose], "log.level", []string{"info", "debug"}[r.verbose-1])
	case "c", "n":
		r.Warnings = append(r.Warnings, "-"+name+" flag was removed. binlog is always compacted.")
	case "F":
		r.say("-F", "storage.sync", SyncNever)
	case "b", "f", "l", "p", "s", "u", "z":
		value, err := r.value("-" + name)
		if err != nil {
			return err
		}
		return r.valued("-"+name, value)
	default:
		return usageError("unknown flag: -" + name)
	}
	return nil
}

func (r *flagReader) valued(flag, value string) error {
	switch flag {
	case "-l":
		r.addr = &value
		return nil
	case "-p":
		r.port = &value
		return nil
	case "-u":
		r.say(flag, "user", value)
		return nil
	case "-b":
		if value == "" {
			return usageError("-b needs the name of a directory")
		}
		r.say(flag, "storage.backend", OnDisk)
		r.say(flag, "storage.path", value)
		return nil
	}
	n, ok := scanSize(value)
	if !ok {
		return usageError("invalid size: " + value)
	}
	switch flag {
	case "-f":
		r.syncEvery(n)
	case "-s":
		// beanstalkd keeps it in an int, and shows that.
		r.binlogMaxSize = new(int(int32(uint32(n))))
	case "-z":
		if n > maxJobSizeLimit {
			n = maxJobSizeLimit
			r.Warnings = append(r.Warnings, fmt.Sprintf("maximum job size was set to %d", n))
		}
		r.say(flag, "limits.max_job_size", int64(n))
	}
	return nil
}

// value is the argument of a flag: what is joined to it, or the next word.
func (r *flagReader) value(flag string) (string, error) {
	if r.rest != "" {
		v := r.rest
		r.rest = ""
		return v, nil
	}
	if len(r.args) == 0 {
		return "", usageError("flag requires an argument: " + flag)
	}
	v := r.args[0]
	r.args = r.args[1:]
	return v, nil
}

// syncEvery is -f, in milliseconds; 0 means before every reply.
func (r *flagReader) syncEvery(ms uint64) {
	if ms == 0 {
		r.say("-f", "storage.sync", syncAlways)
		return
	}
	if most := uint64(maxSyncInterval.Milliseconds()); ms > most {
		ms = most
		r.Warnings = append(r.Warnings, fmt.Sprintf("sync interval was set to %d ms", ms))
	}
	r.say("-f", "storage.sync", SyncInterval)
	r.say("-f", "storage.sync_interval", fmt.Sprint(ms, "ms"))
}

// scanSize reads a number as C's scanf("%zu") does, which is what scripts
// written for beanstalkd may rely on: blanks and a sign may come first, a
// negative number wraps around, and one that is too large becomes the largest.
func scanSize(s string) (uint64, bool) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return math.MaxUint64, true // digits alone fail only by being too many
	}
	if negative {
		n = -n
	}
	return n, true
}

// Usage is the text that -h prints.
func Usage(program string) string {
	return fmt.Sprintf(`Use: %s [OPTIONS], or %[1]s COMMAND [ARGUMENTS]

As beanstalkd:
 -l ADDR  listen on this IP address, host name or unix:PATH
          (default: every address of this machine)
 -p PORT  listen on this port, a number or a service name (default: %[2]s)
 -u USER  become this user, with its groups, once the addresses are bound
 -z BYTES largest job (default: %[3]d, at most %[4]d)
 -s BYTES size of a binlog file; only shown in stats
 -b DIR   keep jobs on disk, in this directory, which must exist
 -f MS    sync the disk every MS milliseconds instead of before each reply;
          0 means before each reply (default)
 -F       never sync; the operating system decides when to write
 -c, -n   accepted and ignored
 -V       log more (-VV: everything)
 -v       print the version (also --version)
 -h       print this (also --help)

In addition:
 -config FILE   read settings from this TOML file; flags win over it
 -shards N      run N shards (default: one for each core)
 -queue HOST:PORT[,...]  serve the queue service over HTTP on these addresses
 -http HOST:PORT[,...]   serve health, metrics and the console over HTTP on
                these addresses
 -check-config  print the settings that would be used, and where each comes
                from; start nothing

Without a command it runs the server. beanfield help COMMAND explains these:

%[5]s`, program, defaultPort, defaultMaxJobSize, maxJobSizeLimit, command.List())
}
