package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

// serverVariable names the server that commands speak to if no flag does.
const serverVariable = "BEANFIELD_SERVER"

// defaultServer is where beanstalkd and beanfield listen by default, on this machine.
const defaultServer = "127.0.0.1:11300"

// patient is how long a server may be silent, unless -connect-timeout says.
const patient = 30 * time.Second

// link says how a command reaches its server.
type link struct {
	Server    string        `flag:"server <address>, or $BEANFIELD_SERVER: SERVERS"`
	Config    string        `flag:"config the server's configuration <file>, on this machine"`
	TokenFile string        `flag:"token-file <file> with a token to log in with"`
	CA        string        `flag:"ca <file> with the certificates to trust, for TLS"`
	Cert      string        `flag:"cert <file> with your own certificate, for TLS"`
	Key       string        `flag:"key <file> with the key of your certificate"`
	Timeout   time.Duration `flag:"connect-timeout longest <time> to wait for the server"`
}

// servers are where the server may be.
func (c *call) servers() ([]string, error) {
	switch {
	case c.link.Config != "" && c.link.Server != "":
		return nil, usagef("-server and -config both name the server")
	case c.link.Config != "":
		at, err := c.place(c.link.Config, "")
		return at.Servers, err
	}
	return serverList(cmp.Or(c.link.Server, usualServer())), nil
}

// serverList takes a list apart. A path may have commas, too: what follows one and has no colon is no address.
func serverList(text string) (list []string) {
	for _, part := range strings.Split(text, ",") {
		if last := len(list) - 1; last >= 0 && strings.HasPrefix(list[last], "unix:") && !strings.Contains(part, ":") {
			list[last] += "," + part
			continue
		}
		list = append(list, strings.TrimSpace(part))
	}
	return list
}

// usualServer is the one that is spoken to if no flag names another.
func usualServer() string { return cmp.Or(os.Getenv(serverVariable), defaultServer) }

// withServer connects, does work, and closes the connection.
func (c *call) withServer(work func(s *client.Client) error) error {
	servers, err := c.servers()
	if err != nil {
		return err
	}
	l := &c.link
	s, err := client.DialFirst(context.Background(), servers,
		client.Options{TokenFile: l.TokenFile, CA: l.CA, Cert: l.Cert, Key: l.Key, Timeout: l.Timeout})
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

// askEach sends commands about each id, many at a time, and hands on the replies to those about one.
func askEach(s *client.Client, ids iter.Seq[uint64], each func(id uint64, r []client.Reply) error,
	formats ...string) error {
	var sent []uint64
	var replies []client.Reply
	pipe := s.Pipe(func(r client.Reply) error {
		if replies = append(replies, r); len(replies) < len(formats) {
			return nil
		}
		id, all := sent[0], replies
		sent, replies = sent[1:], nil
		return each(id, all)
	})
	for id := range ids {
		sent = append(sent, id)
		for _, format := range formats {
			if err := pipe.Send(fmt.Sprintf(format, id)); err != nil {
				return err
			}
		}
	}
	return pipe.Flush()
}
