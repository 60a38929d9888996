package secure

import (
	"crypto/tls"
	"crypto/x509"
)

// Identity is who a client is by its certificate, which has been verified.
type Identity struct {
	Subject    string // as RFC 2253 writes it: "CN=worker,O=Example"
	CommonName string // of the subject
	// Its alternative names. Addresses of IP are not kept: nobody is known by them.
	DNSNames, Emails, URIs []string
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
	id := &Identity{Subject: cert.Subject.String(), CommonName: cert.Subject.CommonName, DNSNames: cert.DNSNames,
		Emails: cert.EmailAddresses}
	for _, u := range cert.URIs {
		id.URIs = append(id.URIs, u.String())
	}
	return id
}
