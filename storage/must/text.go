package must

import (
	"log/slog"
	"strings"
	"sync"
)

// Text keeps what is written to it, by loggers and programs whose goroutines outlive what the
// test waits for. The zero value is empty.
type Text struct {
	mu   sync.Mutex
	text strings.Builder
}

// Logger writes to the text.
func (x *Text) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(x, nil)) }

// Write adds to the text.
func (x *Text) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text.Write(b)
}

// Close does nothing: the text can be read after it.
func (x *Text) Close() error { return nil }

// String is the text since the last Take.
func (x *Text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text.String()
}

// Take returns what has been written since the last Take.
func (x *Text) Take() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	defer x.text.Reset()
	return x.text.String()
}

// Lines returns the lines that contain a text, without the space around them; "" is in each.
func (x *Text) Lines(part string) (found []string) {
	for line := range strings.Lines(x.String()) {
		if line = strings.TrimSpace(line); strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}
