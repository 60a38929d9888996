package queueservice

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"beanfield/shard/queue"
)

// param names a parameter of the query.
type param uint8

// The parameters.
const (
	paramAttrs param = iota
	paramAutoCommit
	paramAutoDelete
	paramBatch
	paramCode
	paramCount
	paramDelete // old clients send it with a commit; it has no meaning
	paramEOS
	paramForce
	paramGid
	paramGroup
	paramIndex
	paramIndexes
	paramIndexOnly
	paramLength
	paramNegative
	paramPriority
	paramRaw
	paramReason
	paramSearch
	paramTimeout
	paramToken
	paramTrunc
	paramUid
	paramWatch
	paramWindow
	params
)

var paramNames = map[string]param{
	"_attrs_": paramAttrs, "_auto_commit_": paramAutoCommit, "_auto_delete_": paramAutoDelete, "_batch_": paramBatch,
	"_code_": paramCode, "_count_": paramCount, "_delete_": paramDelete, "_eos_": paramEOS, "_force_": paramForce,
	"_gid_":   paramGid,
	"_group_": paramGroup, "_index_": paramIndex, "_indexes_": paramIndexes, "_index_only_": paramIndexOnly,
	"_length_": paramLength, "_negative_": paramNegative, "_priority_": paramPriority, "_raw_": paramRaw,
	"_reason_": paramReason, "_search_": paramSearch, "_timeout_": paramTimeout, "_token_": paramToken,
	"_trunc_": paramTrunc, "_uid_": paramUid, "_watch_": paramWatch, "_window_": paramWindow,
}

// query is a query, or a form, taken apart. No key comes twice.
type query struct {
	values [params]string
	has    [params]bool
	tags   map[string]string // nil if there are none
	// unknown is a key that begins with _ and is no parameter; "" for none.
	unknown  string
	unknowns int // how many such keys there are
}

// mostTags is how many tags a query may have.
const mostTags = 256

var (
	errEscape   = errors.New("a bad % escape in the query")
	errTagUTF8  = errors.New("a tag that is not UTF-8")
	errTagName  = errors.New("a tag without a name")
	errManyTags = errors.New("too many tags")
)

func parseQuery(raw string) (q *query, err error) {
	q = &query{}
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		if key, err = unescape(key); err != nil {
			return nil, err
		}
		if value, err = unescape(value); err != nil {
			return nil, err
		}
		if err := q.add(key, value); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func (q *query) add(key, value string) error {
	if strings.HasPrefix(key, "_") {
		p, ok := paramNames[key]
		switch {
		case !ok && q.unknowns == mostTags:
			return errManyTags
		case !ok:
			if q.unknowns++; q.unknown == "" || !resembles(q.unknown) {
				q.unknown = key // one that resembles a parameter is told rather than others
			}
		case ok && q.has[p]:
			return bad("%s comes twice", p)
		case ok:
			q.values[p], q.has[p] = value, true
		}
		return nil
	}
	switch {
	case key == "":
		return errTagName
	case !utf8.ValidString(key) || !utf8.ValidString(value):
		return errTagUTF8
	case len(q.tags) == mostTags:
		return errManyTags
	case q.tags == nil:
		q.tags = map[string]string{}
	}
	if _, twice := q.tags[key]; twice {
		return bad("the tag %.40q comes twice", key)
	}
	q.tags[key] = value
	return nil
}

// unescape undoes percent escapes and plus signs.
func unescape(s string) (string, error) {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return "", errEscape
	}
	return plain, nil
}

// bool reads a parameter that is true or false. It is neither if it has no value: then
// nobody knows what was meant.
func (q *query) bool(p param, absent bool) (bool, error) {
	if !q.has[p] {
		return absent, nil
	}
	v, err := strconv.ParseBool(q.values[p])
	if err != nil {
		return false, bad("%s is neither true nor false", p)
	}
	return v, nil
}

// on says whether a parameter that chooses an operation is true.
func (q *query) on(p param) bool {
	v, err := q.bool(p, false)
	return v && err == nil
}

// index reads an index; without one it is 0. Clients write NewestIndex in two ways: as -1, or in full.
func (q *query) index(p param) (uint64, error) {
	if !q.has[p] {
		return 0, nil
	}
	n, ok := parseIndex(q.values[p])
	if !ok {
		return 0, bad("%s is not an index", p)
	}
	return n, nil
}

func parseIndex(s string) (uint64, bool) {
	if s == "-1" {
		return queue.NewestIndex, true
	}
	if len(s) == 0 || s[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

// indexes reads a list of indexes, which may be empty.
func (q *query) indexes() ([]uint64, error) {
	text := q.values[paramIndexes]
	list := make([]uint64, 0, strings.Count(text, ",")+1)
	for text != "" {
		var one string
		one, text, _ = strings.Cut(text, ",")
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		n, ok := parseIndex(one)
		if !ok {
			return nil, bad("%s has something that is not an index", paramIndexes)
		}
		list = append(list, n)
	}
	return list, nil
}

// count reads a number; above most, it is most.
func (q *query) count(p param, absent, most int) (int, error) {
	if !q.has[p] || q.values[p] == "" {
		return absent, nil
	}
	n, err := strconv.ParseUint(q.values[p], 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, bad("%s is not a count", p)
	}
	return int(min(n, uint64(most))), nil
}

// mostWait is how long a get may wait.
const mostWait = time.Hour

// timeout reads a time in one of the many forms that clients write: 1.5s, 1m0s, 5.
func (q *query) timeout() (time.Duration, error) {
	text := q.values[paramTimeout]
	if text == "" {
		return 0, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return min(max(d, 0), mostWait), nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds != seconds {
		return 0, bad("%s is not a time", paramTimeout)
	}
	if seconds > mostWait.Seconds() {
		return mostWait, nil
	}
	return max(0, time.Duration(seconds*float64(time.Second))), nil
}

// String is the parameter's name in the query.
func (p param) String() string {
	for name, q := range paramNames {
		if p == q {
			return name
		}
	}
	return ""
}

// mostTypos is by how much a name may differ from a parameter's that is taken for it.
const mostTypos = 2

// resembles says whether somebody may have meant a parameter by this name. In a put, names
// that begin with _ and resemble none are ignored: Go's SDK lets its users send them.
func resembles(name string) bool {
	for known := range paramNames {
		if max(len(name), len(known)) <= min(len(name), len(known))+mostTypos && distance(name, known) <= mostTypos {
			return true
		}
	}
	return false
}

// distance is how many bytes of a must be inserted, removed or replaced to make b of it,
// without a difference of case.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i]|0x20 != b[j]|0x20 {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
