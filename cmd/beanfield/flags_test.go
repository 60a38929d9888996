package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

var flagCases = []struct {
	args string
	want flags
}{
	{"", flags{}},
	{"-p 11301", flags{port: ptr("11301")}},
	{"-p11301", flags{port: ptr("11301")}},
	{"-p 1 -p 2", flags{port: ptr("2")}},
	{"-l ::1 -p beanstalk", flags{addr: ptr("::1"), port: ptr("beanstalk")}},
	{"-lunix:/run/b.sock", flags{addr: ptr("unix:/run/b.sock")}},
	{"-l -p", flags{addr: ptr("-p")}},
	{"-l -config", flags{addr: ptr("-config")}},
	{"-u nobody", flags{user: ptr("nobody")}},
	{"-unobody", flags{user: ptr("nobody")}},
	{"-V", flags{verbose: 1}},
	{"-VV", flags{verbose: 2}},
	{"-V -VV", flags{verbose: 3}},
	{"-VVp1", flags{verbose: 2, port: ptr("1")}},
	{"-VVp 1", flags{verbose: 2, port: ptr("1")}},
	{"-Vpukr", flags{verbose: 1, port: ptr("ukr")}},
	{"-z 10", flags{maxJobSize: ptr[int64](10)}},
	{"-z0", flags{maxJobSize: ptr[int64](0)}},
	{"-z +5", flags{maxJobSize: ptr[int64](5)}},
	{"-z 1073741824", flags{maxJobSize: ptr[int64](1 << 30)}},
	{"-s 4096", flags{binlogMaxSize: ptr(4096)}},
	{"-s -5", flags{binlogMaxSize: ptr(-5)}},
	{"-h -q", flags{help: true}},
	{"-v -q", flags{version: true}},
	{"-Vv", flags{verbose: 1, version: true}},
	{"-vq", flags{version: true}},
	{"-config a.toml", flags{config: "a.toml"}},
	{"--config a.toml", flags{config: "a.toml"}},
	{"-config=a.toml", flags{config: "a.toml"}},
	{"--config=a=b", flags{config: "a=b"}},
	{"-config a -config b", flags{config: "b"}},
	{"-config -V", flags{config: "-V"}},
	{"-check-config", flags{checkConfig: true}},
	{"--check-config -V", flags{checkConfig: true, verbose: 1}},
	{"-shards 4", flags{shards: ptr(4)}},
	{"--shards=0", flags{shards: ptr(0)}},
	{"-shards 1 -s 2", flags{shards: ptr(1), binlogMaxSize: ptr(2)}},
	{"-queue 127.0.0.1:8080 -p 1", flags{queue: ptr("127.0.0.1:8080"), port: ptr("1")}},
	{"--queue=:8080", flags{queue: ptr(":8080")}},
	{"-http :8081 --http=unix:/run/h", flags{http: ptr("unix:/run/h")}},
	{"-b /var/lib/b", flags{dir: ptr("/var/lib/b")}},
	{"-bdir", flags{dir: ptr("dir")}},
	{"-b a -b b", flags{dir: ptr("b")}},
	{"-f 50", flags{sync: &syncFlag{"-f", "interval", 50 * time.Millisecond}}},
	{"-f0", flags{sync: &syncFlag{"-f", "always", 0}}},
	{"-f 3600000", flags{sync: &syncFlag{"-f", "interval", time.Hour}}},
	{"-F", flags{sync: &syncFlag{"-F", "never", 0}}},
	{"-f 50 -F", flags{sync: &syncFlag{"-F", "never", 0}}},
	{"-F -f 7", flags{sync: &syncFlag{"-f", "interval", 7 * time.Millisecond}}},
	{"-f 7 -F -f 0", flags{sync: &syncFlag{"-f", "always", 0}}},
	{"-VFb /d", flags{verbose: 1, dir: ptr("/d"), sync: &syncFlag{"-F", "never", 0}}},
}

func TestParseFlags(t *testing.T) {
	for _, c := range flagCases {
		got, err := parseFlags(strings.Fields(c.args))
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
		{"-cn", []string{"-c flag was removed. binlog is always compacted.", "-n flag was removed. binlog is always compacted."}},
		{"-z 1073741825", []string{clamped}},
		{"-z -5", []string{clamped}},
		{"-z 99999999999999999999999", []string{clamped}},
		{"-f 3600001", []string{slow}},
		{"-f -1", []string{slow}},
	} {
		got, err := parseFlags(strings.Fields(c.args))
		if err != nil || !reflect.DeepEqual(got.warnings, c.want) {
			t.Errorf("%q warns %q, %v; want %q", c.args, got.warnings, err, c.want)
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
		{[]string{"-shards", fmt.Sprint(maxShards + 1)}, fmt.Sprintf("invalid number of shards: %d (0 to %d)", maxShards+1, maxShards)},
		{[]string{"-shards=two"}, fmt.Sprintf("invalid number of shards: two (0 to %d)", maxShards)},
		{[]string{"-shards4"}, "invalid size: hards4"}, // -s hards4
		{[]string{"-configs"}, "unknown flag: -o"},     // -c -o
	} {
		_, err := parseFlags(c.args)
		if err == nil || err.Error() != c.want || exitCode(err) != exitUsage {
			t.Errorf("%q: %v (code %d), want %q", c.args, err, exitCode(err), c.want)
		}
	}
}
