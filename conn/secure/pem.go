package secure

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// FileError says which file cannot be used, and why.
type FileError struct {
	Key  string // "cert", "key" or "client_ca"
	File string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s %q: %v", e.Key, e.File, e.Err) }

func (e *FileError) Unwrap() error { return e.Err }

func wrongFile(key, file string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the file is named already
	}
	return &FileError{key, file, err}
}

// parse makes a pair of what the files hold.
func (t texts) parse(o Options) (*pair, error) {
	chain, err := certificates(t.cert)
	if err != nil {
		return nil, wrongFile("cert", o.Cert, err)
	}
	if err := hasKey(t.key); err != nil {
		return nil, wrongFile("key", o.Key, err)
	}
	both, err := tls.X509KeyPair(t.cert, t.key)
	if err != nil {
		err = errors.New(strings.TrimPrefix(err.Error(), "tls: "))
		return nil, wrongFile("key", o.Key, fmt.Errorf("%w (with the certificate in %q)", err, o.Cert))
	}
	if key, ok := both.PrivateKey.(crypto.Signer); ok {
		both.PrivateKey = considerate{key}
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{both},
		MinVersion:   max(o.MinVersion, tls.VersionTLS12),
		CipherSuites: suites,
		// Small records at first are for pages that a browser shows while they load. Here
		// each record costs time, and most replies fit into one anyway.
		DynamicRecordSizingDisabled: true,
	}
	if o.ClientCA != "" {
		authorities, err := certificates(t.ca)
		if err != nil {
			return nil, wrongFile("client_ca", o.ClientCA, err)
		}
		config.ClientCAs = x509.NewCertPool()
		for _, a := range authorities {
			config.ClientCAs.AddCert(a)
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
		if o.Optional {
			config.ClientAuth = tls.VerifyClientCertIfGiven
		}
	}
	first := slices.MinFunc(chain, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
	return &pair{config, chain[0], o.Cert, first.NotAfter}, nil
}

// suites are those of TLS 1.2, in the order that crypto/tls chooses. Its own list has suites with
// CBC too, which have been broken again and again. TLS 1.3 has none.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// certificates parses all certificates of a file. Anything else in it may be
// half of one.
func certificates(text []byte) (all []*x509.Certificate, err error) {
	for rest := text; ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			if strings.Contains(string(rest), "-----BEGIN") {
				return nil, errors.New("it ends in the middle of a PEM block")
			}
			break
		}
		if block.Type != "CERTIFICATE" {
			continue // a key in the same file, perhaps
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("no certificate in it (PEM, BEGIN CERTIFICATE)")
	}
	return all, nil
}

// hasKey says what is wrong if a file has no private key that can be read.
func hasKey(text []byte) error {
	for rest := text; ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		switch {
		case block == nil && strings.Contains(string(rest), "-----BEGIN"):
			return errors.New("it ends in the middle of a PEM block")
		case block == nil:
			return errors.New("no private key in it (PEM, BEGIN PRIVATE KEY)")
		case strings.HasPrefix(block.Type, "ENCRYPTED") || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
			return errors.New("the key is encrypted, and nobody is asked for its password: decrypt it with openssl pkey")
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil
		}
	}
}
