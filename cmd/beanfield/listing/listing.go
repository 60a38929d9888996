package listing

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"beanfield/storage"
)

// Listing prints jobs as they come and remembers the counts.
type Listing struct {
	All Count // over all tubes

	out   io.Writer
	json  *json.Encoder // nil: text
	tubes map[string]*Count
}

// Count is how many jobs a tube holds.
type Count struct {
	Tube    string `json:"tube,omitempty"`
	Ready   int    `json:"ready"`
	Delayed int    `json:"delayed"`
	Buried  int    `json:"buried"`
	Passed  int    `json:"passed,omitempty"`
	Jobs    int    `json:"jobs"`
	Bytes   int64  `json:"bytes"`
}

// New returns a listing that prints to out, as text or as lines of JSON. It makes
// many small writes, so out should be buffered.
func New(out io.Writer, asJSON bool) *Listing {
	l := &Listing{out: out, tubes: make(map[string]*Count)}
	if asJSON {
		l.json = json.NewEncoder(out)
	}
	return l
}

// Add counts a job. What is left of one that has ended is none.
func (l *Listing) Add(j *storage.Job) {
	if j.State == storage.Spent {
		return
	}
	c := l.tubes[j.Tube]
	if c == nil {
		c = &Count{Tube: j.Tube}
		l.tubes[j.Tube] = c
	}
	c.add(j)
	l.All.add(j)
}

func (c *Count) add(j *storage.Job) {
	c.Jobs++
	c.Bytes += int64(j.Size)
	switch j.State {
	case storage.Delayed:
		c.Delayed++
	case storage.Buried:
		c.Buried++
	case storage.Passed:
		c.Passed++
	default:
		c.Ready++
	}
}

// Tubes prints the counts: of the tubes by name, and as text their sum too.
func (l *Listing) Tubes() error {
	counts := make([]*Count, 0, len(l.tubes)+1)
	for _, name := range slices.Sorted(maps.Keys(l.tubes)) {
		counts = append(counts, l.tubes[name])
	}
	if l.json != nil {
		for _, c := range counts {
			if err := l.json.Encode(tubeLine{"tube", c}); err != nil {
				return err
			}
		}
		return nil
	}
	sum := l.All
	sum.Tube = "(all)"
	table := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(passed, tube string, columns ...any) { // Flush tells what failed
		_, _ = fmt.Fprintf(table, "%v\t%v\t%v\t", columns[:3]...)
		if sum.Passed > 0 {
			_, _ = fmt.Fprintf(table, "%s\t", passed)
		}
		_, _ = fmt.Fprintf(table, "%v\t%v\t  %s\n", append(columns[3:], tube)...)
	}
	row("passed", "tube", "ready", "delayed", "buried", "jobs", "bytes")
	for _, c := range append(counts, &sum) {
		row(fmt.Sprint(c.Passed), c.Tube, c.Ready, c.Delayed, c.Buried, c.Jobs, c.Bytes)
	}
	return table.Flush()
}

type tubeLine struct {
	Type string `json:"type"`
	*Count
}

// Line prints a line of the program's own: an object as JSON, which begins with
// its type, or the formatted text.
func (l *Listing) Line(object any, format string, values ...any) error {
	if l.json != nil {
		return l.json.Encode(object)
	}
	_, err := fmt.Fprintf(l.out, format+"\n", values...)
	return err
}
