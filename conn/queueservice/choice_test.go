package queueservice

import (
	"strings"
	"testing"
)

// unclear are requests that may have been meant for something else than what they would do:
// the names in each answer.
var unclear = []struct{ method, query, named string }{
	// Questions: a get would take the head item.
	{"GET", "_attrs_=yes", "_attrs_"}, {"GET", "_attr_=true", "_attr_"}, {"GET", "_search_=yes&_index_=1", "_search_"},
	{"GET", "_attrs_=", "_attrs_"}, {"GET", "_attrs_", "_attrs_"}, {"GET", "_count_=2", "_count_"},
	{"GET", "_watch_=on", "_watch_"},
	{"GET", "_Attrs_=true", "_Attrs_"}, {"GET", "_ATTRS_=TRUE", "_ATTRS_"}, {"GET", "_attrs=true", "_attrs"},
	{"GET", "%5Fattr%5F=true", "_attr_"},
	{"GET", "_attrs_=%20true", "_attrs_"}, {"GET", "_attrs_=true;", "_attrs_"}, {"GET", "_help_", "_help_"},
	{"GET", "_=1", "_"}, {"GET", "__", "__"},
	{"GET", "_attrs_=true&_attrs_=false", "_attrs_"}, {"GET", "_attrs_=false&_attrs_=true", "_attrs_"},
	{"GET", "_index_=1&_index_=2", "_index_"},
	{"GET", "_index_=", "_index_"}, {"GET", "_index_", "_index_"}, {"GET", "_length_=abc", "_length_"},
	{"GET", "_timeout_=abc", "_timeout_"},
	{"GET", "_auto_delete_=", "_auto_delete_"}, {"GET", "_auto_delete_", "_auto_delete_"}, {"GET", "_auto_delete_=no",
		"_auto_delete_"},
	{"GET", "_autodelete_=false", "_autodelete_"}, {"GET", "_raw_=", "_raw_"}, {"GET", "_window_=5", "_window_"},
	{"GET", "_index_only_=true", "_index_only_"},
	{"GET", "_indexes_=1", "_indexes_"}, {"GET", "_priority_=1", "_priority_"}, {"GET", "_group_=g", "_group_"},
	{"GET", "_trunc_=true&_index_=4", "_trunc_"},
	{"GET", "_eos_=true", "_eos_"}, {"GET", "_negative_=false", "_negative_"}, {"GET", "_delete_=false", "_delete_"},
	{"GET", "_batch_=true", "_batch_"},
	{"GET", "_attrs_=true&_count_=true", "_count_"}, {"GET", "_watch_=true&_search_=1", "_search_"},
	{"GET", "_watch_=true&_length_=5", "_length_"},
	{"GET", "_attrs_=true&_auto_delete_=false", "_auto_delete_"}, {"GET", "_search_=true&_index_=", "_index_"},
	// Commands: a put would make an item.
	{"POST", "_attrs_=true", "_attrs_"}, {"POST", "_eos_=yes", "_eos_"}, {"POST", "_eos_", "_eos_"},
	{"POST", "_eso_=true", "_eso_"},
	{"POST", "_force_=true", "_force_"}, {"POST", "_eos_=true&_force_=yes", "_force_"},
	{"POST", "_eos_=true&_forced_=true", "_forced_"},
	{"POST", "_batch_=yes", "_batch_"}, {"POST", "_bacth_=true", "_bacth_"}, {"POST", "_eos_=true&_batch_=true",
		"_batch_"},
	{"POST", "_x_=1&_Priority_=1", "_Priority_"}, {"POST", "_priority_=1&_priority_=2", "_priority_"},
	{"POST", "_index_=1", "_index_"},
	{"POST", "_batch_=true&_priority_=1", "_priority_"}, {"POST", "_eos_=true&_priority_=1", "_priority_"},
	{"POST", "_indexes_=1", "_indexes_"},
	// A commit for a refusal, a delete for a truncate, and the like.
	{"PUT", "_indexes_=1&_negative_=yes", "_negative_"}, {"PUT", "_indexes_=1&_negative_=", "_negative_"},
	{"PUT", "_indexes_=1&_negativ_=true", "_negativ_"},
	{"PUT", "_indexes_=1&_code_=Busy", "_code_"}, {"PUT", "_indexes_=1&_reason_=x", "_reason_"},
	{"PUT", "_index_=1&_indexes_=1", "_index_"},
	{"PUT", "_indexes_=1&_indexes_=2", "_indexes_"}, {"PUT", "_indexes_=1&_x_=2", "_x_"},
	{"PUT", "_indexes_=1&_attrs_=true", "_attrs_"},
	{"DELETE", "_indexes_=1&_trunc_=yes", "_trunc_"}, {"DELETE", "_index_=1&_trunc_=", "_trunc_"},
	{"DELETE", "_index_=&_trunc_=true", "_index_"},
	{"DELETE", "_index_=1&_indexes_=1", "_index_"}, {"DELETE", "_index_=1&_indexes_=1&_trunc_=true", "_indexes_"},
	{"DELETE", "_group_=g&_indexes_=1", "_group_"},
	{"DELETE", "_group_=g&_trunc_=true&_index_=1", "_group_"}, {"DELETE", "_indexes_=1&_truncate_=true", "_truncate_"},
	{"DELETE", "_group_=a&_group_=b", "_group_"},
	// Tags.
	{"POST", "a=1&a=1", `"a"`}, {"GET", "a=1&b=2&a=2", `"a"`}, {"POST", "requestId=1&requestId=2", `"requestId"`},
}

// A request that leaves a doubt does nothing, and is told which name is the cause.
func TestUnclearRequests(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range unclear {
		r, body := h.Say(c.method, base+"?"+c.query, who, "")
		if r.StatusCode != 400 || !strings.Contains(body, c.named) || len(body) > 100 {
			t.Errorf("%s ?%s is answered %d %q, want 400 with %s", c.method, c.query, r.StatusCode, body, c.named)
		}
	}
	h.nothing(t)
}

// What clients of all kinds send is understood: booleans in all forms of Go and Python, keys of
// users that Go's SDK lets through, and parameters for pages.
func TestClearRequests(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range []struct{ method, query string }{
		{"GET", ""}, {"GET", "_auto_delete_=False"}, {"GET", "_auto_delete_=0"}, {"GET", "_attrs_=True"},
		{"GET", "_attrs_=1&a=b"}, {"GET", "_attrs_=false&_count_=true"},
		{"GET", "_timeout_="}, {"GET", "_timeout_=1ms&requestId="}, {"GET", "_count_=true&_priority_=1&a=b"},
		{"GET", "_uid_=a&_gid_=b&_token_=c"},
		{"POST", "_x_=1&_user=2&_something_else_=3"}, {"POST", "_priority_="}, {"POST", "_eos_=false"},
		{"PUT", "_indexes_=&_delete_=true"}, {"PUT", "_indexes_=1&_negative_=false"},
		{"DELETE", "_indexes_=1&_trunc_=false"}, {"DELETE", "_index_=-1&_trunc_=true"},
	} {
		if r, body := h.Say(c.method, base+"?"+c.query, who, ""); r.StatusCode >= 300 {
			t.Errorf("%s ?%s is answered %d %q", c.method, c.query, r.StatusCode, body)
		}
	}
}

// A get whose answer the client cannot read takes nothing.
func TestUnreadableAnswers(t *testing.T) {
	h := newHouse(t, nil)
	for accept, want := range map[string][2]int{ // raw, as a list
		"*/*": {204, 204}, "application/json;q=0.9": {204, 204}, "text/html, */*;q=0.8": {204, 204},
		"Application/VND.google.protobuf": {204, 204},
		"application/*":                   {204, 204}, "text/plain": {204, 406}, "image/png, text/html": {204, 406},
		"application/x-flatbuffers": {406, 406},
	} {
		for i, query := range []string{"", "?_raw_=false"} {
			h.forget()
			if h.Expect(want[i], "GET", base+query, "Accept: "+accept+"\r\n", ""); want[i] == 406 {
				h.nothing(t)
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"_eos_", "_EOS_", 0}, {"_eso_", "_eos_", 2}, {"_x_", "_eos_", 3}, {"_attr_", "_attrs_", 1},
		{"_", "_uid_", 4}, {"kitten", "sitting", 3}} {
		if n := distance(c.a, c.b); n != c.n {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, n, c.n)
		}
	}
}
