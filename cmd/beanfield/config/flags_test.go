package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
)

// flagCases are command lines, and what they say.
var flagCases = []struct{ args, want string }{
	{"", ""},
	{"-p 11301", "port=11301"},
	{"-p11301", "port=11301"},
	{"-p 1 -p 2", "port=2"},
	{"-l ::1 -p beanstalk", "addr=::1 port=beanstalk"},
	{"-lunix:/run/b.sock", "addr=unix:/run/b.sock"},
	{"-l -p", "addr=-p"},
	{"-l -config", "addr=-config"},
	{"-u nobody", "{-u user nobody}"},
	{"-unobody", "{-u user nobody}"},
	{"-V", "{-V log.level info}"},
	{"-VV", "{-VV log.level debug}"},
	{"-V -VV", "{-VV log.level debug}"},
	{"-VVp1", "port=1 {-VV log.level debug}"},
	{"-VVp 1", "port=1 {-VV log.level debug}"},
	{"-Vpukr", "port=ukr {-V log.level info}"},
	{"-z 10", "{-z limits.max_job_size 10}"},
	{"-z0", "{-z limits.max_job_size 0}"},
	{"-z +5", "{-z limits.max_job_size 5}"},
	{"-z 1073741824", "{-z limits.max_job_size 1073741824}"},
	{"-s 4096", "binlog=4096"},
	{"-s -5", "binlog=-5"},
	{"-h -q", "help"},
	{"-v -q", "version"},
	{"-Vv", "version {-V log.level info}"},
	{"-vq", "version"},
	{"-config a.toml", "file=a.toml"},
	{"--config a.toml", "file=a.toml"},
	{"-config=a.toml", "file=a.toml"},
	{"--config=a=b", "file=a=b"},
	{"-config a -config b", "file=b"},
	{"-config -V", "file=-V"},
	{"-check-config", "check"},
	{"--check-config -V", "check {-V log.level info}"},
	{"-shards 4", "{-shards shards 4}"},
	{"--shards=0", "{-shards shards 0}"},
	{"-shards 1 -s 2", "binlog=2 {-shards shards 1}"},
	{"-queue 127.0.0.1:8080 -p 1", "port=1 queue=127.0.0.1:8080"},
	{"--queue=:8080", "queue=:8080"},
	{"-http :8081 --http=unix:/run/h", "http=unix:/run/h"},
	{"-b /var/lib/b", "{-b storage.backend pebble} {-b storage.path /var/lib/b}"},
	{"-bdir", "{-b storage.backend pebble} {-b storage.path dir}"},
	{"-b a -b b", "{-b storage.backend pebble} {-b storage.path b}"},
	{"-f 50", "{-f storage.sync interval} {-f storage.sync_interval 50ms}"},
	{"-f0", "{-f storage.sync always}"},
	{"-f 3600000", "{-f storage.sync interval} {-f storage.sync_interval 3600000ms}"},
	{"-F", "{-F storage.sync never}"},
	{"-f 50 -F", "{-F storage.sync never}"},
	{"-F -f 7", "{-f storage.sync interval} {-f storage.sync_interval 7ms}"},
	{"-f 7 -F -f 0", "{-f storage.sync always}"},
	{"-VFb /d", "{-V log.level info} {-F storage.sync never} {-b storage.backend pebble} {-b storage.path /d}"},
}

// shown is what flags say.
func (f *Flags) shown() string {
	var list []string
	for name, is := range map[string]bool{"help": f.Help, "version": f.Version, "check": f.Check} {
		if is {
			list = append(list, name)
		}
	}
	for _, v := range []struct {
		name  string
		value *string
	}{{"file", &f.File}, {"addr", f.addr}, {"port", f.port}, {"queue", f.queue}, {"http", f.HTTP}} {
		if v.value != nil && *v.value != "" {
			list = append(list, v.name+"="+*v.value)
		}
	}
	if f.binlogMaxSize != nil {
		list = append(list, fmt.Sprint("binlog=", *f.binlogMaxSize))
	}
	for _, s := range f.said {
		list = append(list, fmt.Sprint(s))
	}
	return strings.Join(list, " ")
}

func TestParseFlags(t *testing.T) {
	for _, c := range flagCases {
		if got, err := ParseFlags(strings.Fields(c.args)); err != nil || got.shown() != c.want {
			t.Errorf("%q: %s, %v; want %s", c.args, got.shown(), err, c.want)
		}
	}
}

func TestParseFlagsWarnings(t *testing.T) {
	const slow = "sync interval was set to 3600000 ms"
	const clamped = "maximum job size was set to 1073741824"
	for _, c := range []struct {
		args string
		want []string
	}{
		{"-c", []string{"-c flag was removed. binlog is always compacted."}},
		{"-cn", []string{"-c flag was removed. binlog is always compacted.",
			"-n flag was removed. binlog is always compacted."}},
		{"-z 1073741825", []string{clamped}},
		{"-z -5", []string{clamped}},
		{"-z 99999999999999999999999", []string{clamped}},
		{"-f 3600001", []string{slow}},
		{"-f -1", []string{slow}},
	} {
		got, err := ParseFlags(strings.Fields(c.args))
		if err != nil || !reflect.DeepEqual(got.Warnings, c.want) {
			t.Errorf("%q warns %q, %v; want %q", c.args, got.Warnings, err, c.want)
		}
		most := map[string]string{"-z": fmt.Sprint(" ", maxJobSizeLimit), "-f": " 3600000ms"}[c.args[:2]]
		if !strings.Contains(got.shown(), most) {
			t.Errorf("%q does not clamp", c.args)
		}
	}
}

func TestParseFlagsErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-q"}, "unknown flag: -q"},
		{[]string{"-Vq"}, "unknown flag: -q"},
		{[]string{"-ü"}, "unknown flag: -ü"},
		{[]string{"-"}, "unknown argument: -"},
		{[]string{""}, "unknown argument: "},
		{[]string{"--"}, "unknown flag: --"},
		{[]string{"--port"}, "unknown flag: --port"},
		{[]string{"11300"}, "unknown argument: 11300"},
		{[]string{"-V", "x"}, "unknown argument: x"},
		{[]string{"-p"}, "flag requires an argument: -p"},
		{[]string{"-Vz"}, "flag requires an argument: -z"},
		{[]string{"-config"}, "flag requires an argument: -config"},
		{[]string{"--shards"}, "flag requires an argument: -shards"},
		{[]string{"-config="}, "-config needs the name of a file"},
		{[]string{"-check-config=yes"}, "flag takes no value: -check-config=yes"},
		{[]string{"-z", "12k"}, "invalid size: 12k"},
		{[]string{"-z", ""}, "invalid size: "},
		{[]string{"-z", "1 "}, "invalid size: 1 "},
		{[]string{"-z", "+-1"}, "invalid size: +-1"},
		{[]string{"-z", "-v"}, "invalid size: -v"},
		{[]string{"-s", "1.5"}, "invalid size: 1.5"},
		{[]string{"-f", "50ms"}, "invalid size: 50ms"},
		{[]string{"-b"}, "flag requires an argument: -b"},
		{[]string{"-b", ""}, "-b needs the name of a directory"},
		{[]string{"-shards", "-1"}, fmt.Sprintf("invalid number of shards: -1 (0 to %d)", maxShards)},
		{[]string{"-shards", fmt.Sprint(maxShards + 1)}, fmt.Sprintf("invalid number of shards: %d (0 to %d)",
			maxShards+1, maxShards)},
		{[]string{"-shards=two"}, fmt.Sprintf("invalid number of shards: two (0 to %d)", maxShards)},
		{[]string{"-shards4"}, "invalid size: hards4"}, // -s hards4
		{[]string{"-configs"}, "unknown flag: -o"},     // -c -o
	} {
		_, err := ParseFlags(c.args)
		if err == nil || err.Error() != c.want || exit.Code(err) != exit.Usage {
			t.Errorf("%q: %v (code %d), want %q", c.args, err, exit.Code(err), c.want)
		}
	}
}
