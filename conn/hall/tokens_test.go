package hall

import "testing"

func TestTokens(t *testing.T) {
	known := NewTokens([]string{"secret", "other"})
	for text, want := range map[string]bool{
		"secret": true, "other": true, "": false, "Secret": false, "secret ": false, "secre": false, "secretother": false,
	} {
		if got := known.Know(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if NewTokens(nil).Know("") {
		t.Error("no tokens know an empty one")
	}
}
