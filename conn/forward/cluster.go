package forward

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
)

// Cluster is what the nodes of a cluster prove themselves to each other with.
type Cluster struct {
	Name   string
	Node   string // this one
	Secret string // that the nodes share; may be "" with certificates

	// Cert, Key and CA are PEM files. With them nodes use TLS among themselves, and each must show a certificate that
	// CA has signed.
	Cert, Key, CA string
}

// proofs are what a cluster's nodes prove themselves with, ready for use.
type proofs struct {
	cluster, node string
	key           key
	tls           *tls.Config                // of either side; nil without certificates
	client        atomic.Pointer[tls.Config] // of the one that has connected last
}

// tlsTo is the configuration with which a connection to an address is made. All connections have the same, which saves
// half a kilobyte for each.
func (p *proofs) tlsTo(address string) *tls.Config {
	host, _, _ := net.SplitHostPort(address)
	t := p.client.Load()
	if t == nil || t.ServerName != host {
		t = p.tls.Clone()
		t.ServerName = host
		p.client.Store(t)
	}
	return t
}

func (c *Cluster) proofs() (*proofs, error) {
	if c.Secret == "" && c.Cert == "" {
		return nil, errors.New("forward: neither a secret nor certificates")
	}
	p := &proofs{cluster: c.Name, node: c.Node,
		key: sha256.Sum256([]byte("beanfield link\x00" + c.Name + "\x00" + c.Secret))}
	if c.Cert == "" {
		return p, nil
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, fmt.Errorf("forward: %w", err)
	}
	text, err := os.ReadFile(c.CA)
	if err != nil {
		return nil, fmt.Errorf("forward: %w", err)
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("forward: %s: no certificates", c.CA)
	}
	p.tls = &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: trusted, ClientCAs: trusted,
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13}
	return p, nil
}
