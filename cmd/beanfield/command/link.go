package command

import (
	"errors"
	"flag"
	"os"
	"regexp"
	"time"

	"beanfield/cmd/beanfield/client"
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
	f.StringVar(&l.Server, "server", address, "`address`: HOST:PORT, beanstalk://HOST, beanstalks://HOST (TLS) or unix:PATH; else $"+serverVariable)
	f.StringVar(&l.TokenFile, "token-file", "", "`file` with a token to log in with")
	f.StringVar(&l.CA, "ca", "", "`file` with the certificates to trust, for TLS")
	f.StringVar(&l.Cert, "cert", "", "`file` with a certificate of one's own, for TLS")
	f.StringVar(&l.Key, "key", "", "`file` with its key")
	f.DurationVar(&l.Timeout, "connect-timeout", 30*time.Second, "`time` to wait for the server, at most")
}

// withServer connects, does work, and closes the connection.
func (c *call) withServer(work func(s *client.Client) error) error {
	s, err := client.Dial(c.link.Options)
	if err != nil {
		return err
	}
	err = work(s)
	return errors.Join(err, s.Close())
}

// checkTube refuses what no server takes for the name of a tube.
func checkTube(name string) error {
	if !tubeName.MatchString(name) {
		return usagef("%q is no name of a tube: up to 200 letters, digits and -+/;.$_(), not beginning with -", name)
	}
	return nil
}

var tubeName = regexp.MustCompile(`^[A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{0,199}$`)
