package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"beanfield/cmd/beanfield/exit"
)

var flagCases = []struct {
	args string
	want Flags
}{
	{"", Flags{}},
	{"-p 11301", Flags{port: ptr("11301")}},
	{"-p11301", Flags{port: ptr("11301")}},
	{"-p 1 -p 2", Flags{port: ptr("2")}},
	{"-l ::1 -p beanstalk", Flags{addr: ptr("::1"), port: ptr("beanstalk")}},
	{"-lunix:/run/b.sock", Flags{addr: ptr("unix:/run/b.sock")}},
	{"-l -p", Flags{addr: ptr("-p")}},
	{"-l -config", Flags{addr: ptr("-config")}},
	{"-u nobody", Flags{user: ptr("nobody")}},
	{"-unobody", Flags{user: ptr("nobody")}},
	{"-V", Flags{verbose: 1}},
	{"-VV", Flags{verbose: 2}},
	{"-V -VV", Flags{verbose: 3}},
	{"-VVp1", Flags{verbose: 2, port: ptr("1")}},
	{"-VVp 1", Flags{verbose: 2, port: ptr("1")}},
	{"-Vpukr", Flags{verbose: 1, port: ptr("ukr")}},
	{"-z 10", Flags{maxJobSize: ptr[int64](10)}},
	{"-z0", Flags{maxJobSize: ptr[int64](0)}},
	{"-z +5", Flags{maxJobSize: ptr[int64](5)}},
	{"-z 1073741824", Flags{maxJobSize: ptr[int64](1 << 30)}},
	{"-s 4096", Flags{binlogMaxSize: ptr(4096)}},
	{"-s -5", Flags{binlogMaxSize: ptr(-5)}},
	{"-h -q", Flags{Help: true}},
	{"-v -q", Flags{Version: true}},
	{"-Vv", Flags{verbose: 1, Version: true}},
	{"-vq", Flags{Version: true}},
	{"-config a.toml", Flags{File: "a.toml"}},
	{"--config a.toml", Flags{File: "a.toml"}},
	{"-config=a.toml", Flags{File: "a.toml"}},
	{"--config=a=b", Flags{File: "a=b"}},
	{"-config a -config b", Flags{File: "b"}},
	{"-config -V", Flags{File: "-V"}},
	{"-check-config", Flags{Check: true}},
	{"--check-config -V", Flags{Check: true, verbose: 1}},
	{"-shards 4", Flags{shards: ptr(4)}},
	{"--shards=0", Flags{shards: ptr(0)}},
	{"-shards 1 -s 2", Flags{shards: ptr(1), binlogMaxSize: ptr(2)}},
	{"-queue 127.0.0.1:8080 -p 1", Flags{queue: ptr("127.0.0.1:8080"), port: ptr("1")}},
	{"--queue=:8080", Flags{queue: ptr(":8080")}},
	{"-http :8081 --http=unix:/run/h", Flags{HTTP: ptr("unix:/run/h")}},
	{"-b /var/lib/b", Flags{dir: ptr("/var/lib/b")}},
	{"-bdir", Flags{dir: ptr("dir")}},
	{"-b a -b b", Flags{dir: ptr("b")}},
	{"-f 50", Flags{sync: &syncFlag{"-f", "interval", 50 * time.Millisecond}}},
	{"-f0", Flags{sync: &syncFlag{"-f", "always", 0}}},
	{"-f 3600000", Flags{sync: &syncFlag{"-f", "interval", time.Hour}}},
	{"-F", Flags{sync: &syncFlag{"-F", "never", 0}}},
	{"-f 50 -F", Flags{sync: &syncFlag{"-F", "never", 0}}},
	{"-F -f 7", Flags{sync: &syncFlag{"-f", "interval", 7 * time.Millisecond}}},
	{"-f 7 -F -f 0", Flags{sync: &syncFlag{"-f", "always", 0}}},
	{"-VFb /d", Flags{verbose: 1, dir: ptr("/d"), sync: &syncFlag{"-F", "never", 0}}},
}

func TestParseFlags(t *testing.T) {
	for _, c := range flagCases {
		got, err := ParseFlags(strings.Fields(c.args))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v; want %+v", c.args, got, err, c.want)
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
		if strings.HasPrefix(c.args, "-z") && (got.maxJobSize == nil || *got.maxJobSize != maxJobSizeLimit) {
			t.Errorf("%q does not clamp", c.args)
		}
		if strings.HasPrefix(c.args, "-f") && (got.sync == nil || got.sync.every != maxSyncInterval) {
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
