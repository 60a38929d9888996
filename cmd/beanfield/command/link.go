package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/shard/queue"
)

// serverVariable names the server that commands speak to if no flag does.
const serverVariable = "BEANFIELD_SERVER"

// defaultServer is where beanstalkd and beanfield listen by default, on this machine.
const defaultServer = "127.0.0.1:11300"

// link says how a command reaches its server.
type link struct {
	client.Options
	config string
}

func (l *link) flags(f *flag.FlagSet) {
	f.StringVar(&l.Server, "server", "", "`address`, or $"+serverVariable+
		": HOST:PORT, beanstalk://HOST, beanstalks:// (TLS), unix:PATH, or a list A,B")
	f.Lookup("server").DefValue = l.usual()
	configFlag(f, &l.config, "")
	f.StringVar(&l.TokenFile, "token-file", "", "`file` with a token to log in with")
	f.StringVar(&l.CA, "ca", "", "`file` with the certificates to trust, for TLS")
	f.StringVar(&l.Cert, "cert", "", "`file` with your own certificate, for TLS")
	f.StringVar(&l.Key, "key", "", "`file` with the key of your certificate")
	f.Var(spanned(&l.Timeout, 30*time.Second), "connect-timeout", "longest `time` to wait for the server")
}

// servers are where the server may be.
func (c *call) servers() ([]string, error) {
	switch {
	case c.link.config != "" && c.link.Server != "":
		return nil, usagef("-server and -config both name the server")
	case c.link.config != "":
		at, err := c.place(c.link.config, "")
		return at.Servers, err
	}
	return serverList(cmp.Or(c.link.Server, c.link.usual())), nil
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

func (*link) usual() string { return cmp.Or(os.Getenv(serverVariable), defaultServer) }

// withServer connects, does work, and closes the connection.
func (c *call) withServer(work func(s *client.Client) error) error {
	servers, err := c.servers()
	if err != nil {
		return err
	}
	s, err := client.DialFirst(context.Background(), servers, c.link.Options)
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

// tubeName is a tube that a flag names. An empty name is refused, which a script may give by
// accident: it must not mean that there is no such flag.
type tubeName string

func (n *tubeName) String() string { return string(*n) }

func (n *tubeName) Set(text string) error {
	*n = tubeName(text)
	return checkTubes(text)
}

// take takes the only word of a command line, if it is no number, for the tube. It does so always, so that what a
// script asks does not depend on which tubes there are.
func (n *tubeName) take(c *call) error {
	if len(c.words) != 1 || *n != "" || new(jobID).Set(c.words[0]) == nil {
		return nil
	}
	word := c.words[0]
	c.words = nil
	return n.Set(word)
}

// nameList collects the values of a flag that may be given several times.
type nameList []string

func (n *nameList) String() string { return strings.Join(*n, ",") }

func (n *nameList) Set(name string) error {
	*n = append(*n, name)
	return nil
}

// checkTubes refuses what no server takes for the name of a tube.
func checkTubes(names ...string) error {
	for _, name := range names {
		if !isTube(name) {
			return usagef("%q is not a name for a tube: up to 200 letters, digits and -+/;.$_(), not beginning with -",
				name)
		}
	}
	return nil
}

// isTube asks the server's own rule, which is beanstalkd's.
func isTube(name string) bool { return queue.ValidName([]byte(name)) }
