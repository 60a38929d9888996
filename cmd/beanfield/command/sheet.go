package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"beanfield/conn/beanstalk/client"
)

// sheet is a table for people.
type sheet struct {
	*tabwriter.Writer
	right bool // numbers stand below each other, and a name follows them
}

// newSheet begins one with the titles of its columns.
func newSheet(out io.Writer, right bool, titles ...any) sheet {
	flags := uint(0)
	if right {
		flags = tabwriter.AlignRight
	}
	t := sheet{tabwriter.NewWriter(out, 0, 0, 2, ' ', flags), right}
	if len(titles) > 0 {
		t.row(titles...)
	}
	return t
}

// row adds a line; Flush sees the error.
func (t sheet) row(cells ...any) {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("\t")
		}
		if t.right && i == len(cells)-1 {
			line.WriteString("  ")
		}
		fmt.Fprint(&line, cell)
	}
	fmt.Fprintln(t, line.String())
}

// table prints documents: as lines of JSON, or as a sheet. A column is a title and the key of what stands below it:
// "last_tick=last-tick jobs=jobs".
func (c *call) table(list []client.Document, right bool, columns string) error {
	out := bufio.NewWriter(c.Stdout)
	if c.json {
		return errors.Join(encodeAll(out, list), out.Flush())
	}
	var titles []any
	var keys []string
	for column := range strings.FieldsSeq(columns) {
		title, key, _ := strings.Cut(column, "=")
		titles, keys = append(titles, strings.ReplaceAll(title, "_", " ")), append(keys, key)
	}
	t := newSheet(out, right, titles...)
	for _, d := range list {
		cells := make([]any, len(keys))
		for i, key := range keys {
			if cells[i] = cmp.Or(d.Get(key), "-"); key == paused {
				cells[i] = pausedFor(d)
			}
		}
		t.row(cells...)
	}
	return errors.Join(t.Flush(), out.Flush())
}

// paused is a key of no document: for how long a tube still is.
const paused = "paused"

func pausedFor(d client.Document) string {
	if d.Number("pause") == 0 {
		return "-"
	}
	return d.Get("pause-time-left") + "s"
}
