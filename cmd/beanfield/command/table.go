package command

import (
	_ "embed"
	"flag"
	"io"
	"reflect"
	"strings"
	"time"
)

// A Command is one row of the table.
type Command struct {
	Name     string
	Args     string // what follows the flags, as "[BODY...]"
	Summary  string // one line, without a full stop
	Help     string // what one has to know before using it
	Examples []string
	Group    string

	remote bool   // it speaks to a server, so it has the flags of a connection
	tubes  bool   // it begins with names of tubes, which -tube may give, too
	json   string // what its flag -json is for; "" if it has none
	action action // with its defaults; nil: it takes the server's own flags
}

// action is a command with its flags: its fields with a tag flag, which has the name and the usage.
type action interface{ run(c *call) error }

// plain is an action without flags.
type plain func(c *call) error

func (do plain) run(c *call) error { return do(c) }

//go:embed commands.txt
var commands string

// table lists all commands, in the order of the list.
var table = readTable(commands)

// actions are what the commands do.
var actions = map[string]action{
	"put":     &put{Tube: "default", Pri: 1024, TTR: 60},
	"reserve": &reserve{Count: 1, Then: thenRelease},
	"peek":    &peek{State: ready},
	"list":    &list{Bodies: 60},
	"delete":  plain(deleteJobs),
	"bury":    plain(buryJobs),

	"tubes":  &tubes{},
	"kick":   &kick{},
	"pause":  plain(pauseTube),
	"purge":  &purge{sweep{States: stateList{ready, delayed, buried}}},
	"move":   &move{sweep{States: stateList{ready, delayed, buried}}},
	"export": &export{From: 1},
	"load":   &load{},

	"stats":     &stats{},
	"top":       &top{Every: time.Second},
	"tail":      &tail{Every: 250 * time.Millisecond},
	"schedules": &schedules{},
	"slow":      &slow{consoleLink{Patience: patient}},
	"refused":   &refused{consoleLink{Patience: patient}},
	"policy":    &policy{},
	"backup":    &backup{Patience: 10 * time.Second},
	"bench":     &bench{Jobs: 20_000, Connections: 4, Depth: 1, Size: 100},
	"cluster":   &clustering{Shard: allShards},

	"import": &importing{},
	"dump":   &dumping{},

	"completion": &completion{},
	"help":       &help{},
	"size":       &size{Jobs: 1_000_000, Body: 100, Tubes: 100, Connections: 100},
	"token":      facts(newToken),
	"version":    facts(versionOf),
}

// readTable reads commands.txt.
func readTable(text string) (all []Command) {
	for i, group := range strings.Split(text, "\n# ") {
		if i == 0 {
			continue // it explains the form
		}
		rows := strings.Split(group, "\n\n## ")
		for _, row := range rows[1:] {
			c := Command{Group: rows[0]}
			head, body, _ := strings.Cut(row, "\n\n")
			lines := strings.Split(head, "\n")
			c.Name, c.Args, _ = strings.Cut(lines[0], " ")
			c.Summary, c.action = lines[1], actions[c.Name]
			for _, line := range lines[2:] {
				name, about, _ := strings.Cut(line, " ")
				switch name {
				case "-server":
					c.remote = true
				case "-tube":
					c.tubes = true
				case "-json":
					c.json = about
				}
			}
			text, examples, _ := strings.Cut("\n"+body, "\nExamples:\n")
			c.Help = strings.TrimSpace(text)
			for example := range strings.Lines(examples) {
				if example = strings.TrimSpace(example); example != "" {
					c.Examples = append(c.Examples, example)
				}
			}
			all = append(all, c)
		}
	}
	return all
}

// flagSet is the action with its defaults, and its flags: its own, and those of the table.
func (c *Command) flagSet(of *call) (action, *flag.FlagSet) {
	f := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	a := c.action
	if v := reflect.ValueOf(a); v.Kind() == reflect.Pointer {
		fresh := reflect.New(v.Type().Elem())
		fresh.Elem().Set(v.Elem())
		bind(f, fresh.Elem())
		a = fresh.Interface().(action)
	}
	if own, ok := a.(interface{ Flags(*flag.FlagSet) }); ok {
		own.Flags(f)
	}
	if c.tubes {
		f.Func("tube", "the `tube`, as an argument names it", func(name string) error {
			of.tubes = append(of.tubes, name)
			return nil
		})
	}
	if c.json != "" {
		f.BoolVar(&of.json, "json", false, c.json)
	}
	if c.remote {
		of.link.Timeout = patient
		bind(f, reflect.ValueOf(&of.link).Elem())
		f.Lookup("server").DefValue = usualServer()
	}
	return a, f
}
