package house

import (
	"fmt"
	"slices"
	"strings"
)

const (
	module  = "beanfield/"
	process = "cmd/beanfield"
)

// floors says how high each package stands (H1).
var floors = map[string]int{
	"cmd/beanfield":         13,
	"cmd/beanfield/command": 12,
	"cmd/beanfield/binlog":  11,
	"cmd/beanfield/datadir": 11,
	"cmd/beanfield/listing": 10,
	"cmd/beanfield/manual":  10,
	"conn/beanstalk":        9,
	"conn/queueservice":     9,
	"conn/admin":            9,
	"conn/admin/console":    9,
	"conn/hall":             8,
	"conn/admin/history":    8,
	"conn":                  6,
	"conn/beanstalk/client": 5,
	"router":                5,
	"shard":                 4,
	"shard/queue":           3,
	"shard/queue/cells":     0,
	"shard/stack":           0,
	"storage/pebblestore":   3,
	"storage/locallog":      -3,
	"storage/fold":          -3,
	"storage/turns":         -4,
	"storage":               -5,
	"storage/pace":          -6,
	"storage/tally":         -6,
	"storage/must":          -7,

	"storage/storagetest":           -4,
	"storage/pebblestore/format":    -3,
	"storage/pebblestore/directory": -2,
	"storage/pebblestore/database":  -1,
	"storage/pebblestore/disktest":  -5,
	"storage/pebblestore/repair":    0,
	"storage/pebblestore/ondisk":    -6,
	"shard/queue/queuetest":         2,
	"shard/queue/naive":             0,
	"conn/access":                   6,
	"conn/beanstalk/protocol":       6,
	"conn/beanstalk/socket":         6,
	"conn/audit":                    6,
	"conn/slow":                     6,
	"conn/secure":                   5,
	"conn/secure/securetest":        1,
	"conn/hall/halltest":            7,
	"storage/pebblestore/powercut":  -6,
}

// kits are packages for tests; only tests and other kits import them.
var kits = []string{"conn/hall/halltest", "conn/secure/securetest", "shard/queue/naive", "shard/queue/queuetest", "storage/must",
	"storage/pebblestore/powercut", "storage/storagetest", "storage/pebblestore/disktest", "storage/storagetest", "storage/pebblestore/disktest"}

// private are packages that not everybody above them may import. The store on
// Pebble is known to those who open one, and to nobody in between; tests may open
// one anywhere. The server is nobody's client.
var private = map[string][]string{
	"storage/pebblestore":           {"cmd", "tools"},
	"storage/pebblestore/format":    {"storage/pebblestore"},
	"storage/pebblestore/directory": {"storage/pebblestore"},
	"storage/pebblestore/database":  {"storage/pebblestore"},
	"storage/pebblestore/repair":    {"storage/pebblestore", "cmd"},
	"storage/pebblestore/ondisk":    {"storage/pebblestore"},
	"conn/beanstalk/client":         {"cmd", "tools"},
	"shard/queue/cells":             {"shard/queue"},
}

// doors say where an import from outside may stand (H2).
var doors = []struct {
	prefix string
	dirs   []string
}{
	{"net", []string{"conn", "cmd", "tools"}},
	{"net/http", []string{"conn/queueservice", "conn/admin", "conn/hall", "cmd", "tools/clients"}},
	{"github.com/cockroachdb", []string{"storage/pebblestore", "storage/locallog"}},
	{"github.com/BurntSushi/toml", []string{"cmd"}},
	{"github.com/cespare/xxhash", []string{"router", "storage/turns", "storage/locallog"}},
	{"github.com/gobwas/ws", []string{"conn/queueservice"}},
	{"google.golang.org/protobuf", []string{"conn/queueservice", "conn/admin", "tools/clients"}},
	{"github.com/prometheus", []string{"conn/admin", "cmd"}},
}

// within says whether a path is one of the directories or below it.
func within(path string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

func wrongWay(h *house) (complaints []string) {
	for _, f := range h.files {
		if _, placed := floors[f.dir]; !placed && !within(f.dir, "tools") {
			complaints = append(complaints, fmt.Sprintf("H1: %s: package %s has no floor in the house", f.path, f.dir))
			continue
		}
		for _, name := range f.imports {
			inside, ok := strings.CutPrefix(name, module)
			if !ok {
				continue
			}
			if why := misplaced(f, inside); why != "" {
				complaints = append(complaints, fmt.Sprintf("H1: %s imports %s: %s", f.path, inside, why))
			}
		}
	}
	return complaints
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
	floor, placed := floors[imported]
	switch {
	case !placed:
		return "it has no floor in the house"
	case imported == process:
		return "nobody imports the process"
	case slices.Contains(kits, imported) && !f.test && !slices.Contains(kits, f.dir):
		return "only tests import it"
	case within(f.dir, "tools"):
	case floor == floors[f.dir]:
		return "neighbours do not know each other"
	case floor > floors[f.dir]:
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

func wrongDoor(h *house) (complaints []string) {
	for _, f := range h.files {
		for _, name := range f.imports {
			for _, door := range doors {
				if within(name, door.prefix) && !within(f.dir, door.dirs...) {
					complaints = append(complaints, fmt.Sprintf("H2: %s imports %s: only %s may import it",
						f.path, name, strings.Join(door.dirs, ", ")))
				}
			}
		}
	}
	return complaints
}
