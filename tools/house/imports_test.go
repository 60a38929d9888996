package house

import (
	"slices"
	"strings"
)

const (
	module  = "beanfield/"
	process = "cmd/beanfield"
)

// floors are the packages from the top of the house down (H1). Those in one line do not know each
// other.
var floors = []string{
	"cmd/beanfield",
	"cmd/beanfield/listeners cmd/beanfield/node",
	"cmd/beanfield/config",
	"cmd/beanfield/command cmd/beanfield/exit",
	"cmd/beanfield/binlog cmd/beanfield/control cmd/beanfield/datadir",
	"cmd/beanfield/listing cmd/beanfield/manual",
	"conn/client",
	"conn/admin conn/admin/console conn/beanstalk conn/forward conn/queueservice",
	"conn/admin/history conn/beanstalk/event conn/httpfront",
	"conn/access conn/httpfront/httpfronttest",
	"conn conn/audit conn/beanstalk/protocol conn/slow conn/socket router/schedule",
	"conn/beanstalk/client conn/secure router",
	"router/mover shard",
	"shard/queue storage/cluster storage/pebblestore",
	"shard/queue/naive",
	"shard/queue/policy shard/queue/queuetest",
	"conn/secure/securetest",
	"shard/queue/cells shard/stack storage/pebblestore/committer storage/pebblestore/repair",
	"storage/pebblestore/database",
	"storage/cluster/transfer storage/pebblestore/directory",
	"storage/pebblestore/format",
	"storage/cluster/members storage/cluster/ownership storage/cluster/partition storage/fold storage/jetstream storage/locallog",
	"storage/lanes",
	"storage/storagetest storage/turns",
	"conn/beanstalk/client/clienttest storage storage/pebblestore/disktest",
	"storage/pace storage/pebblestore/powercut storage/tally",
	"storage/effort storage/must",
}

// floorOf says how far down each of them is.
var floorOf = func() map[string]int {
	of := map[string]int{}
	for i, line := range floors {
		for dir := range strings.FieldsSeq(line) {
			of[dir] = i
		}
	}
	return of
}()

// kits are packages for tests; only tests and other kits import them.
var kits = []string{"conn/httpfront/httpfronttest", "conn/secure/securetest", "conn/beanstalk/client/clienttest",
	"shard/queue/naive", "shard/queue/queuetest", "storage/effort", "storage/must",
	"storage/pebblestore/powercut", "storage/storagetest", "storage/pebblestore/disktest"}

// private are packages that not everybody above them may import. The store on
// Pebble is known to those who open one, and to nobody in between; tests may open
// one anywhere. The server is nobody's client.
var private = map[string][]string{
	"storage/pebblestore":           {"cmd", "tools"},
	"storage/pebblestore/format":    {"storage/pebblestore"},
	"storage/pebblestore/directory": {"storage/pebblestore"},
	"storage/pebblestore/database":  {"storage/pebblestore"},
	"storage/pebblestore/committer": {"storage/pebblestore"},
	"storage/pebblestore/repair":    {"storage/pebblestore", "cmd"},
	"storage/cluster":               {"cmd", "tools"},
	"storage/cluster/members":       {"storage/cluster"},
	"storage/cluster/ownership":     {"storage/cluster"},
	"storage/cluster/partition":     {"storage/cluster"},
	"storage/jetstream":             {"storage/cluster", "storage/pebblestore", "cmd"},
	"storage/cluster/transfer":      {"storage/cluster"},
	"conn/beanstalk/client":         {"cmd", "tools", "conn/client"},
	"shard/queue/cells":             {"shard/queue"},
}

// doors say where an import from outside may stand (H2).
var doors = []struct {
	prefix string
	dirs   []string
}{
	{"net", []string{"conn", "cmd", "tools", "storage/jetstream", "storage/cluster"}},
	{"net/http", []string{"conn/queueservice", "conn/admin", "conn/httpfront", "cmd", "tools/clients",
		"tools/bench/profile"}},
	{"github.com/cockroachdb", []string{"storage/pebblestore", "storage/locallog"}},
	{"github.com/nats-io", []string{"storage/jetstream", "storage/cluster", "tools/bench/peers"}},
	{"github.com/rabbitmq", []string{"tools/bench/peers"}},
	{"github.com/BurntSushi/toml", []string{"cmd", "tools/bench/compare"}},
	{"github.com/cespare/xxhash", []string{"router", "storage/turns", "storage/locallog", "storage/cluster/transfer",
		"storage/pebblestore/format"}},
	{"github.com/netresearch/go-cron", []string{"router/schedule"}},
	{"github.com/gobwas/ws", []string{"conn/queueservice"}},
	{"google.golang.org/protobuf", []string{"conn/queueservice", "conn/admin", "tools/clients"}},
	{"github.com/prometheus", []string{"conn/admin", "cmd"}},
	{"github.com/anishathalye/porcupine", []string{"tools/faults"}},
}

// within says whether a path is one of the directories or below it.
func within(path string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

func wrongWay(h *house, complain complaint) {
	for _, f := range h.files {
		if _, placed := floorOf[f.dir]; !placed && !within(f.dir, "tools") {
			complain("%s: package %s has no floor in the house", f.path, f.dir)
			continue
		}
		for _, name := range f.imports {
			inside, ok := strings.CutPrefix(name, module)
			if !ok {
				continue
			}
			if why := misplaced(f, inside); why != "" {
				complain("%s imports %s: %s", f.path, inside, why)
			}
		}
	}
}

// misplaced says what is wrong with importing a package of the house, if anything
// is.
func misplaced(f *file, imported string) string {
	if f.test && imported == f.dir {
		return "" // a test that looks at its package from outside
	}
	if within(imported, "tools") {
		return misplacedTool(f, imported)
	}
	floor, placed := floorOf[imported]
	switch {
	case !placed:
		return "it has no floor in the house"
	case imported == process:
		return "nobody imports the process"
	case slices.Contains(kits, imported) && !f.test && !slices.Contains(kits, f.dir):
		return "only tests import it"
	case within(f.dir, "tools"):
	case floor == floorOf[f.dir]:
		return "neighbours do not know each other"
	case floor < floorOf[f.dir]:
		return "imports run downwards only"
	}
	if users, ok := private[imported]; ok && !f.test && !within(f.dir, users...) {
		return "only " + strings.Join(users, ", ") + " may import it"
	}
	return ""
}

// misplacedTool is misplaced for a package below tools.
func misplacedTool(f *file, imported string) string {
	if !within(f.dir, "tools") {
		return "only tools import tools"
	}
	parts := strings.Split(imported, "/")
	if len(parts) > 2 && !within(f.dir, strings.Join(parts[:2], "/")) {
		return "it belongs to another tool"
	}
	return ""
}

func wrongDoor(h *house, complain complaint) {
	for _, f := range h.files {
		for _, name := range f.imports {
			for _, door := range doors {
				if within(name, door.prefix) && !within(f.dir, door.dirs...) {
					complain("%s imports %s: only %s may import it",
						f.path, name, strings.Join(door.dirs, ", "))
				}
			}
		}
	}
}
