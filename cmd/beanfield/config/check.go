package config

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk"
)

// Print prints what -check-config shows: every setting and where it comes
// from, in the form of a file for -config, which lacks only the tokens.
func Print(w io.Writer, c *Config, version string) error {
	t := tabwriter.NewWriter(w, 0, 8, 1, ' ', 0)
	fmt.Fprintf(t, "# beanfield %s would run with:\n", version)
	printArray(t, listenKey, c.Listen, func(l *Listen, rows []setting) string {
		return fmt.Sprintf("{ %s },\t# %s", inOneLine(rows), comment(l.from.String()))
	})
	for _, s := range c.rows() {
		fmt.Fprintf(t, "%s = %s\t# %s%s\n", s.key, s.show(), comment(c.From[s.key].String()), meaning(s.key, c))
	}
	printArray(t, tubeKey, c.Tubes, inBraces)
	printArray(t, scheduleKey, c.Schedules, inBraces)
	printArray(t, queueForKey, c.Queue.For, inBraces)
	if len(c.Access) > 0 || c.Open {
		printArray(t, accessKey, c.Access, func(r *access.Rule, _ []setting) string {
			return "{ " + showRule(r) + " },"
		})
	}
	fmt.Fprintf(t, "# binlog-max-size in stats: %d\t# %s\n", c.BinlogMaxSize, c.From["-s"])
	return t.Flush()
}

// printArray prints an array of tables, each on a line.
func printArray[T any](w io.Writer, key string, list []T, show func(*T, []setting) string) {
	fmt.Fprintln(w, key+" = [")
	for i := range list {
		fmt.Fprintln(w, "  "+show(&list[i], rowsOf(key, &list[i])))
	}
	fmt.Fprintln(w, "]")
}

func inBraces[T any](_ *T, rows []setting) string { return "{ " + inOneLine(rows) + " }," }

// comment makes text fit for a TOML comment, which is one line: a file name or an
// address may hold any character.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text)
}

// meaning explains a value that does not explain itself.
func meaning(key string, c *Config) string {
	if c.Storage.Backend == InMemory && strings.HasPrefix(key, "storage.") && key != "storage.backend" {
		return "; used with backend " + quote(OnDisk)
	}
	switch {
	case key == "shards" && c.Shards == 0:
		return fmt.Sprintf("; one for each core: %d", ShardCount(c))
	case key == "loops" && c.Loops == 0:
		return fmt.Sprintf("; one for each core but one: %d", beanstalk.DefaultLoops())
	case key == "limits.max_connections" && c.Limits.MaxConnections == 0 && c.PassesOn():
		return fmt.Sprintf("; here %d: each client that is passed on takes %d files", c.MostConnections(),
			c.filesOfOne())
	case key == "limits.max_connections" && c.Limits.MaxConnections == 0:
		return "; as many as file descriptors allow"
	case key == "limits.handshakes" && c.Limits.Handshakes == 0:
		return fmt.Sprintf("; here %d", c.MostHandshakes())
	case key == "storage.sync_interval" && c.Storage.Sync != SyncInterval:
		return "; used with sync " + quote(SyncInterval)
	case key == "storage.memory_budget" && c.Storage.MemoryBudget == 0:
		return "; no limit"
	case key == "storage.backup_path" && c.Storage.BackupPath == "":
		return "; " + comment(c.BackupPath())
	case key == "cluster.forward" && c.Clustered() && !c.Cluster.Refuses && !c.PassesOn():
		return "; not done without cluster.secret, or certificates"
	case key == "cluster.forward" && c.PassesOn() && slices.ContainsFunc(c.tables(), forClients):
		return "; TLS ends at the node that serves: each needs a certificate for the name that clients use"
	case key == "http.origins" && c.Clustered() && c.HTTP.TLS.Asked() && len(c.HTTP.Origins) < len(c.Cluster.Nodes)-1:
		return "; links from other nodes' consoles are refused unless they are here, as \"https://HOST:PORT\""
	case key == "user" && c.Account != nil:
		return fmt.Sprintf("; uid %d, gid %d, groups %v", c.Account.UID, c.Account.GID, c.Account.Groups)
	}
	return ""
}

// forClients says whether a table has certificates that clients are shown, and not administrators.
func forClients(t tlsTable) bool { return t.prefix != "http." && t.Asked() }
