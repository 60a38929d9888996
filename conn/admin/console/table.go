package console

import (
	"cmp"
	"math"
	"net/url"
	"strconv"
	"strings"

	"beanfield/conn/access"
	"beanfield/storage/pace"
)

// pageMost is how many rows a page has at most.
const pageMost = 200

// table is which rows of a long table somebody wants to see.
type table struct {
	by      string // a column; "" for the usual order
	desc    bool
	from, n int
	shows   func(text string) bool // the filter; nil if it shows all
}

const notSortable = "the table cannot be sorted by this column"

func tableOf(q url.Values) (w table, err error) {
	w.by, w.desc = q.Get("sort"), q.Get("desc") == "1"
	if text := q.Get("filter"); text != "" {
		w.shows = filter(text)
	}
	if w.from, err = number(q, "from", 0, math.MaxInt32); err == nil {
		w.n, err = number(q, "n", 50, pageMost)
	}
	return w, err
}

// by compares rows by something that each of them has.
func by[R any, V cmp.Ordered](of func(R) V) func(a, b R) int {
	return func(a, b R) int { return cmp.Compare(of(a), of(b)) }
}

// order turns a comparison round if the largest is to come first.
func (w *table) order(c int) int {
	if w.desc {
		return -c
	}
	return c
}

// pacer lets others go on now and then, while a long table is filtered and sorted.
type pacer int

// stepsBetween takes less than a millisecond.
const stepsBetween = 4096

func (p *pacer) step() {
	if *p++; *p%stepsBetween == 0 {
		pace.StepBack()
	}
}

// number reads one of the query's, from 0 to most.
func number(q url.Values, key string, standard, most int) (int, error) {
	text := q.Get(key)
	if text == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, wrong(key + " must be from 0 to " + strconv.Itoa(most))
	}
	return n, nil
}

// filter says which names somebody is looking for: those that contain the text or, if it
// has a *, that fit it as a whole. Large and small letters are the same.
func filter(text string) func(string) bool {
	pattern := strings.ToLower(text)
	if !strings.Contains(pattern, "*") {
		pattern = "*" + pattern + "*"
	}
	return func(name string) bool { return access.Match(pattern, strings.ToLower(name)) }
}
