//go:build linux

package compare

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"beanfield/tools/bench/load"
)

// A row is one load of the comparison. To add one, add it to rows.toml, which says what each field means.
type row struct {
	Name, Title, Set, Class    string
	Awaited, Bare, Alone, Half bool
	Unpinned                   bool
	Wait                       load.Wait
	Load                       load.Load
	Own                        *load.Load
	Everybody, Flags, Config   string
	Rounds                     int
	Goals                      []goal
}

//go:embed rows.toml
var rowsText string

// decoded reads a file of the program. A mistake in it is the programmer's.
func decoded[T any](name, text string) (file T) {
	seen, err := toml.Decode(text, &file)
	if err == nil && len(seen.Undecoded()) > 0 {
		err = fmt.Errorf("what is %v?", seen.Undecoded())
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return file
}

// rows are those of beanfield beside beanstalkd and the floors, peerRows those beside other queue servers.
var rows, peerRows = rowsOf("rows.toml", rowsText), rowsOf("peers.toml", peersText)

//go:embed peers.toml
var peersText string

// rowsOf reads rows, and fills in what goes without saying.
func rowsOf(name, text string) []row {
	all := decoded[struct{ Row []row }](name, text).Row
	for i := range all {
		r := &all[i]
		r.Load = load.Of(r.Load)
		if r.Own != nil {
			*r.Own = load.Of(*r.Own)
		}
	}
	return all
}

// chooseRows reads a list of names of rows and sets, with commas; all is every row.
func chooseRows(rows []row, list string) (chosen []row, err error) {
	for name := range strings.SplitSeq(list, ",") {
		found := false
		for _, r := range rows {
			if name != r.Name && name != "all" && (name != r.Set || r.Set == "") && (name != "awaited" || !r.Awaited) {
				continue
			}
			found = true
			if !slices.ContainsFunc(chosen, func(c row) bool { return c.Name == r.Name }) {
				chosen = append(chosen, r)
			}
		}
		if !found {
			return nil, fmt.Errorf("no row %q; there are %s", name, rowNames(rows))
		}
	}
	return chosen, nil
}

// rowNames are those of sets and rows.
func rowNames(rows []row) string {
	names := []string{"all", "awaited"}
	for _, r := range rows {
		for _, name := range []string{r.Set, r.Name} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// scaled is the row with so many times the jobs and, where its neighbour is disturbed, of what disturbs it.
func (r row) scaled(by float64) *row {
	part := func(n int) int { return max(min(n, 1), int(float64(n)*by)) }
	r.Load.Backlog = part(r.Load.Backlog)
	r.Title = strings.ReplaceAll(r.Title, "{jobs}", grouped(float64(r.Load.Backlog)))
	if r.Load.Whole {
		r.Load.MaxJobs = part(r.Load.MaxJobs)
	}
	if r.Load.Kind == load.Neighbour {
		r.Load.Large, r.Load.Tubes = part(r.Load.Large), part(r.Load.Tubes)
		if r.Load.Connections > 50 {
			r.Load.Connections = part(r.Load.Connections)
		}
	}
	return &r
}

// timed gives a load the length that was asked for.
func timed(ld load.Load, warmup, duration time.Duration) load.Load {
	ld.Warmup, ld.Duration, ld.Peace = warmup, duration, time.Second
	if ld.Whole {
		ld.Warmup, ld.Duration = 0, time.Hour
	}
	return ld
}
