package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// What is wrong with a [[schedule]], or cannot be meant, is said with its line.
func TestScheduleMistakes(t *testing.T) {
	const of = "[[schedule]]\nname = 'n'\ncron = '@daily'\ntube = 't'\n"
	large := filepath.Join(t.TempDir(), "large")
	must.Do(t, os.WriteFile(large, make([]byte, 2000), 0o600))
	for text, want := range map[string]string{
		"[[schedule]]\ncron = '@daily'\ntube = 't'": ":1: schedule.name: missing",
		"[[schedule]]\nname = 'n'\ntube = 't'":      ":1: schedule.cron: missing",
		"[[schedule]]\nname = 'n'\ncron = '@daily'": ":1: schedule.tube: missing",
		"schedule = 1": "[[schedule]]",
		strings.Replace(of, "@daily", "61 * * * *", 1): `:3: schedule.cron = "61 * * * *"`,
		strings.Replace(of, "@daily", "@every 5s", 1):  "@every counts from no certain time",
		strings.Replace(of, "@daily", "0 0 30 2 *", 1): "it never ticks",
		strings.Replace(of, "'@daily'", "5", 1):        ":3: schedule.cron",
		strings.Replace(of, "'t'", "'-t'", 1): ":4: schedule.tube = \"-t\": not a name " +
			"that a tube can have",
		strings.Replace(of, "'n'", "'a b'", 1):         ":2: schedule.name",
		of + "zone = 'Europe/Nowhere'":                 `:5: schedule.zone = "Europe/Nowhere": no such time zone`,
		of + "zone = 'Local'":                          ":5: schedule.zone",
		of + "zone = '../../etc/passwd'":               ":5: schedule.zone",
		of + "missed = 'some'":                         ":5: schedule.missed",
		of + "pri = 4294967296":                        ":5: schedule.pri",
		of + "ttr = '1500ms'":                          ":5: schedule.ttr = \"1500ms\": not whole seconds",
		of + "ttr = '0s'":                              ":5: schedule.ttr",
		of + "delay = 5":                               ":5: schedule.delay",
		of + "jitter = '5s'":                           "unknown key",
		of + "body = 'a'\nbody_file = '" + large + "'": ":6: schedule.body_file",
		of + "body_file = '/nowhere'":                  ":5: schedule.body_file = \"/nowhere\": no such file",
		of + "body_file = '/'":                         "not a file",
		of + "body_file = '" + large + "'\n[limits]\nmax_job_size = 1999": ":5: schedule.body_file",
		of + "body = '1234'\n[limits]\nmax_job_size = 3": `:5: schedule.body = "1234": larger than ` +
			`limits.max_job_size, 3`,
		of + of: ":6: schedule.name = \"n\": the same name as in line 2",
	} {
		if got, _ := refused(t, "", text); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want something with %q", text, got, want)
		}
	}
}

// Printed schedules are read as they were. A reload that finds the same ones changes nothing.
func TestCheckConfigShowsSchedules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "body")
	must.Do(t, os.WriteFile(file, []byte("from a file"), 0o600))
	text := "schedule = [{ name = 'a', cron = '*/5 1-3 * * mon', tube = 't', zone = 'Asia/Tokyo', body = " +
		"\"x\\u0000\", ttr = '1m30s', missed = 'all' }, " +
		"{ name = 'b', cron = '@daily', tube = 't', body_file = '" + file + "', pri = 0, delay = '1h' }]"
	c := must.Get(load(t, "", text))
	again := must.Get(load(t, "", printed(t, c)))
	if got, want := shownAll(again.Schedules, (*ScheduleRule).shown),
		shownAll(c.Schedules, (*ScheduleRule).shown); got != want || !strings.Contains(want, "from a file") {
		t.Errorf("read %s, want %s; printed:\n%s", got, want, printed(t, c))
	}
	if _, changes := c.merge(must.Get(load(t, "", text))); len(changes) != 0 {
		t.Errorf("changed: %v", changes)
	}
	must.Do(t, os.WriteFile(file, []byte("another"), 0o600))
	if _, changes := c.merge(must.Get(load(t, "", text))); len(changes) != 1 || !changes[0].Reloads {
		t.Errorf("with another body in the file, changed: %v", changes)
	}
}
