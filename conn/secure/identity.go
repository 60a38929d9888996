package secure

import (
	"crypto/tls"
	"crypto/x509"
)

// Identity is who a client is by its certificate, which has been verified.
type Identity struct {
	Subject    string   // as RFC 2253 writes it: "CN=worker,O=Example"
	CommonName string   // of the subject
	Names      []string // its alternative names: of hosts, addresses of mail and IP, URIs
}

// Identify returns who the client of a connection is, or nil if it has shown no
// certificate.
func Identify(t *tls.Conn) *Identity {
	state := t.ConnectionState()
	if len(state.VerifiedChains) == 0 {
		return nil
	}
	return identity(state.PeerCertificates[0])
}

func identity(cert *x509.Certificate) *Identity {
	id := &Identity{Subject: cert.Subject.String(), CommonName: cert.Subject.CommonName}
	id.Names = append(id.Names, cert.DNSNames...)
	id.Names = append(id.Names, cert.EmailAddresses...)
	for _, ip := range cert.IPAddresses {
		id.Names = append(id.Names, ip.String())
	}
	for _, u := range cert.URIs {
		id.Names = append(id.Names, u.String())
	}
	return id
}
