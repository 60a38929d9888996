package secure

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// Options are what a listener says of its TLS.
type Options struct {
	Cert, Key string // files, in PEM
	// ClientCA is a file with the certificates of those who sign clients' certificates.
	// "": clients are not asked for one.
	ClientCA string
	// Optional lets clients in that have no certificate. One that is wrong is refused
	// all the same.
	Optional bool
	// MinVersion is the lowest version of TLS that is spoken; 0 means TLS 1.2.
	MinVersion uint16
}

// Certificates are what one listener's handshakes are made with. They can be replaced
// while connections are made.
type Certificates struct {
	keeper  *Keeper
	current atomic.Pointer[pair] // T1

	// The keeper's, under its lock.
	opts   Options
	tried  [sha256.Size]byte // what the files held when they were last read
	wrong  error             // why that cannot be used
	warned *x509.Certificate // whose dates have been complained about
}

// pair is a certificate with its key, ready for handshakes.
type pair struct {
	config *tls.Config
	leaf   *x509.Certificate
	file   string    // that the certificate was read from
	ends   time.Time // when it, or one that vouches for it in that file, expires
}

// Read reads the files. Its error is a *FileError.
func Read(o Options) (*Certificates, error) {
	t, err := readFiles(o)
	c := &Certificates{opts: o, tried: t.sum(err)}
	if err != nil {
		return nil, err
	}
	p, err := t.parse(o)
	if err != nil {
		return nil, err
	}
	c.current.Store(p)
	return c, nil
}

// Config is what the next handshake is made with. It must not be changed.
func (c *Certificates) Config() *tls.Config { return c.current.Load().config }

// Expiry is when clients stop accepting the certificate in use, and its file. Any goroutine
// may ask.
func (c *Certificates) Expiry() (file string, ends time.Time) {
	p := c.current.Load()
	return p.file, p.ends
}

// refresh reads the files again. It reports whether they have changed since they were
// last read, and why what they hold cannot be used, if so.
func (c *Certificates) refresh() (changed bool, err error) {
	t, err := readFiles(c.opts)
	sum := t.sum(err)
	if sum == c.tried {
		return false, c.wrong
	}
	var p *pair
	if err == nil {
		p, err = t.parse(c.opts)
	}
	if err == nil {
		err = c.outlives(p, c.opts)
	}
	c.tried, c.wrong = sum, err
	if err == nil {
		c.current.Store(p)
	}
	return true, err
}

// outlives is why a certificate must not replace the current one, if it has expired and the
// current one has not.
func (c *Certificates) outlives(p *pair, o Options) error {
	if p.expired() && !c.current.Load().expired() {
		return wrongFile("cert", o.Cert, errors.New("it has expired"))
	}
	return nil
}

// expired says whether the certificate has expired: clients will never accept it again.
func (p *pair) expired() bool { return time.Now().After(p.leaf.NotAfter) }

// complain warns, once for each certificate, that it has expired or is not valid yet.
func (c *Certificates) complain(log *slog.Logger, now time.Time) {
	leaf := c.current.Load().leaf
	if leaf == c.warned {
		return
	}
	switch {
	case now.After(leaf.NotAfter):
		log.Warn("a certificate has expired: clients will refuse it", "cert", c.opts.Cert, "expired", leaf.NotAfter)
	case now.Before(leaf.NotBefore):
		log.Warn("a certificate is not valid yet: clients will refuse it", "cert", c.opts.Cert, "valid-from",
			leaf.NotBefore)
	default:
		return
	}
	c.warned = leaf
}

// texts are the contents of the files.
type texts struct{ cert, key, ca []byte }

func readFiles(o Options) (t texts, err error) {
	for _, f := range []struct {
		key, name string
		into      *[]byte
	}{{"cert", o.Cert, &t.cert}, {"key", o.Key, &t.key}, {"client_ca", o.ClientCA, &t.ca}} {
		if f.name == "" && f.key == "client_ca" {
			continue
		}
		if *f.into, err = os.ReadFile(f.name); err != nil {
			return t, wrongFile(f.key, f.name, err)
		}
	}
	return t, nil
}

// sum stands for what was read, and for the error if it was one.
func (t texts) sum(err error) [sha256.Size]byte {
	h := sha256.New()
	message := ""
	if err != nil {
		message = err.Error()
	}
	for _, b := range [][]byte{t.cert, t.key, t.ca, []byte(message)} {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
