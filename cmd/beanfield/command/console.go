package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

// Console is where a server's console is.
type Console struct {
	Address string // host:port, or unix:PATH
	TLS     bool
	Token   string // "" for none
}

// consoleAt is the console at an address that a flag names.
func consoleAt(text string) (at Console) {
	at.Address, at.TLS = strings.CutPrefix(text, "https://")
	at.Address = strings.TrimSuffix(strings.TrimPrefix(at.Address, "http://"), "/")
	return at
}

// consoleLink says how a command reaches the console.
type consoleLink struct {
	Config    string        `flag:"config the server's configuration <file>, on this machine (default USUAL)"`
	HTTP      string        `flag:"http the server's <address> for HTTP: HOST:PORT, https://HOST:PORT or unix:PATH"`
	TokenFile string        `flag:"token-file <file> with a token for HTTP"`
	CA        string        `flag:"ca <file> with the certificates to trust, for TLS"`
	Patience  time.Duration `flag:"connect-timeout longest <time> to wait for the server"`
}

// get asks the console, and decodes what it answers.
func (l *consoleLink) get(c *call, what string, answer any) error {
	at := Place{Console: consoleAt(l.HTTP)}
	var err error
	if l.Config != "" && l.HTTP != "" {
		return usagef("-config and -http both name the server")
	} else if l.HTTP == "" {
		at, err = c.place(l.Config, "or its address for HTTP with -http")
	}
	if err == nil && at.Console.Address == "" {
		err = errors.New("the server's configuration has no http.listen: it tells this over HTTP")
	}
	if err == nil && l.TokenFile != "" {
		at.Console.Token, err = tokenIn(readable(l.TokenFile))
	}
	if err != nil {
		return err
	}
	return at.Console.get(what, l.CA, l.Patience, answer)
}

// tokenIn reads a token from a file.
func tokenIn(file string) (string, error) {
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// get is consoleLink.get for a console that is known.
func (at Console) get(what, ca string, patience time.Duration, answer any) error {
	trust, err := (&client.Options{CA: ca}).TLSConfig("") // which is net/http's to name
	if err != nil {
		return err
	}
	transport := &http.Transport{TLSClientConfig: trust}
	host, scheme := at.Address, "http://"
	if path, ok := strings.CutPrefix(at.Address, "unix:"); ok {
		host = "localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
	}
	if at.TLS {
		scheme = "https://"
	}
	ask, err := http.NewRequest(http.MethodGet, scheme+host+"/api/v1/"+what, nil)
	if err != nil {
		return usagef("%q is not an address", at.Address)
	}
	if at.Token != "" {
		ask.Header.Set("Authorization", "Bearer "+at.Token)
	}
	got, err := (&http.Client{Transport: transport, Timeout: patience}).Do(ask)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(got.Body, 1<<10))
		return fmt.Errorf("the server answers %s: %s", got.Status, strings.TrimSpace(string(text)))
	}
	return json.NewDecoder(got.Body).Decode(answer)
}

// slow is the command of that name.
type slow struct{ consoleLink }

func (a *slow) run(c *call) error {
	return a.remembered(c, "slow", func(r *remembered) error {
		if r.Bound == 0 {
			return missingf("log.slow is 0 at the server, so nothing is noted")
		}
		return missingf("the server remembers no command that took longer than %v", time.Duration(r.Bound*1e9))
	}, slowRow, "WHEN", "TOOK", "TURN", "RAN", "DISK", "COMMAND", "TUBE", "JOB", "CLIENT")
}

func slowRow(k *noted) []any {
	verb, job := k.Verb, ""
	if k.Count > 1 {
		verb = fmt.Sprintf("%s x %d", verb, k.Count)
	}
	if k.ID != 0 {
		job = fmt.Sprint(k.ID)
	}
	return []any{k.when(), briefly(k.Took), briefly(k.Turn), briefly(k.Ran), briefly(k.Disk), verb, k.Tube, job, k.by()}
}

// briefly shows seconds.
func briefly(seconds float64) time.Duration {
	return time.Duration(seconds * 1e9).Round(100 * time.Microsecond)
}

// refused is the command of that name.
type refused struct{ consoleLink }

func (a *refused) run(c *call) error {
	return a.remembered(c, "refused", func(r *remembered) error {
		if r.Hidden {
			return errors.New("what was refused is shown to those with the right admin on every tube; " +
				"see beanfield help rights")
		}
		return missingf("the server remembers no command that was refused")
	}, func(k *noted) []any {
		return []any{k.when(), k.Reason, k.by(), fmt.Sprintf("%+q", k.Line)}
	}, "WHEN", "REASON", "CLIENT", "LINE")
}

// remembered are commands that the server remembers.
type remembered struct {
	Bound    float64
	Hidden   bool
	Commands []json.RawMessage
}

// noted is what it says of one.
type noted struct {
	At                    int64 // in milliseconds since 1970
	Verb, Tube            string
	ID                    uint64
	Count                 int
	Client, Who           string
	Took, Turn, Ran, Disk float64
	Reason, Line          string
}

func (k *noted) when() string { return time.UnixMilli(k.At).Format("2006-01-02 15:04:05.000") }
func (k *noted) by() string   { return strings.TrimSpace(k.Client + " " + k.Who) }

// remembered shows what the server remembers. none is the error if that is nothing.
func (l *consoleLink) remembered(c *call, what string, none func(*remembered) error, row func(*noted) []any,
	titles ...any) error {
	var r remembered
	if err := l.get(c, what, &r); err != nil {
		return err
	}
	if len(r.Commands) == 0 {
		return none(&r)
	}
	if c.json {
		return encodeAll(c.Stdout, r.Commands)
	}
	out := newSheet(c.Stdout, false, titles...)
	for _, text := range r.Commands {
		var k noted
		if err := json.Unmarshal(text, &k); err != nil {
			return err
		}
		out.row(row(&k)...)
	}
	return out.Flush()
}
