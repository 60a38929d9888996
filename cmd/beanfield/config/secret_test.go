package config

import (
	"strings"
	"testing"

	"beanfield/storage/must"
)

// No token is ever shown, and what is shown instead is no configuration. An empty token is
// a mistake.
func TestSecrets(t *testing.T) {
	for _, key := range []string{"queue.tokens", "http.tokens"} {
		c := must.Get(load(t, "", key+" = ['hush', 'hush2']"))
		if text := printed(t, c); strings.Contains(text, "hush") {
			t.Errorf("-check-config prints\n%s", text)
		}
		shown := c.row(key).show()
		for _, value := range []string{shown, "'hush'", "['']", "['hush', '']", "['hush', 1]"} {
			_, err := load(t, "", key+" = "+value)
			if err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), ":1: "+key+": ") {
				t.Errorf("%s = %s: %v", key, value, err)
			}
		}
		slip := strings.TrimSuffix(key, "s")
		if _, err := load(t, "", slip+" = 'hush'"); err == nil || strings.Contains(err.Error(), "hush") ||
			!strings.Contains(err.Error(), slip+": unknown key") {
			t.Errorf("%s: %v", slip, err)
		}
	}
}
