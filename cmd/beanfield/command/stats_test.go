package command

import "testing"

// A word is a tube, and a number is a job, also while a tube has that name.
func TestStatsOfWhat(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "-tube", "mail", "x").want(t, 0, "1\n", "")
		s.run("put", "-tube", "2", "y").want(t, 0, "2\n", "")
		s.run("put", "-tube", "9", "z").want(t, 0, "3\n", "")
		s.run("stats", "mail").has(t, 0, "current-jobs-ready: 1")
		s.run("stats", "1").has(t, 0, "tube: ")
		s.run("stats", "2").has(t, 0, "state: ready")
		s.run("stats", "-tube", "2").has(t, 0, "current-jobs-ready: 1")
		s.run("stats", "9").want(t, 3, "", "there is no job 9; -tube 9 asks for a tube with that name")
		s.run("stats", "nowhere").want(t, 3, "", "there is no tube nowhere")
		s.run("stats", "mail", "2").want(t, 2, "", "name one tube or one job")
		s.run("stats", "mail", "-job", "2").want(t, 2, "", "name one tube or one job")
	})
}

// An empty name, from a script whose variable is not set, is not the same as none.
func TestEmptyNames(t *testing.T) {
	for _, args := range [][]string{{"stats", ""}, {"stats", "-tube", ""}, {"stats", "-job", "0"},
		{"stats", "-job", ""},
		{"load", "-tube", ""}, {"peek", "-tube", "", "1"}, {"put", "-tube", "", "x"}, {"reserve", "-tube", ""}} {
		if o := typed(t, "", args...); o.code != 2 || o.stdout != "" {
			t.Errorf("%q: %+v", args, o)
		}
	}
}
