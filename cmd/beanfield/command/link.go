package command

import (
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/shard/queue"
)

// serverVariable names the server that commands speak to if no flag does.
const serverVariable = "BEANFIELD_SERVER"

// defaultServer is where beanstalkd and beanfield listen by default, on this machine.
const defaultServer = "127.0.0.1:11300"

// link says how a command reaches its server.
type link struct{ client.Options }

func (l *link) flags(f *flag.FlagSet) {
	address := os.Getenv(serverVariable)
	if address == "" {
		address = defaultServer
	}
	f.StringVar(&l.Server, "server", address, "`address`: HOST:PORT, beanstalk://HOST, beanstalks://HOST (TLS) or unix:PATH; by default $"+serverVariable)
	f.StringVar(&l.TokenFile, "token-file", "", "`file` with a token to log in with")
	f.StringVar(&l.CA, "ca", "", "`file` with the certificates to trust, for TLS")
	f.StringVar(&l.Cert, "cert", "", "`file` with your own certificate, for TLS")
	f.StringVar(&l.Key, "key", "", "`file` with the key of your certificate")
	f.Var(spanned(&l.Timeout, 30*time.Second), "connect-timeout", "longest `time` to wait for the server")
}

// withServer connects, does work, and closes the connection.
func (c *call) withServer(work func(s *client.Client) error) error {
	s, err := client.Dial(c.link.Options)
	if err != nil {
		return err
	}
	err = c.explained(s, work(s))
	return errors.Join(err, s.Close())
}

// ask sends a command, and takes only the reply that is wanted.
func ask(s *client.Client, want, format string, parts ...any) (client.Reply, error) {
	r, err := s.Askf(format, parts...)
	if err == nil {
		err = r.Want(want)
	}
	return r, err
}

// sendEach sends commands about each id, many at a time, and waits for their replies.
func sendEach(pipe *client.Pipe, ids iter.Seq[uint64], formats ...string) error {
	for id := range ids {
		for _, format := range formats {
			if err := pipe.Send(fmt.Sprintf(format, id)); err != nil {
				return err
			}
		}
	}
	return pipe.Flush()
}

// tubeName is a tube that a flag names. An empty name is refused, which a script may give by
// accident: it must not mean that there is no such flag.
type tubeName string

func (n *tubeName) String() string { return string(*n) }

func (n *tubeName) Set(text string) error {
	*n = tubeName(text)
	return checkTube(text)
}

// checkTube refuses what no server takes for the name of a tube.
func checkTube(name string) error {
	if !isTube(name) {
		return usagef("%q is not a name for a tube: up to 200 letters, digits and -+/;.$_(), not beginning with -", name)
	}
	return nil
}

// isTube asks the server's own rule, which is beanstalkd's.
func isTube(name string) bool { return queue.ValidName([]byte(name)) }
