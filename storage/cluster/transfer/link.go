package transfer

import "github.com/nats-io/nats.go"

// link is what a transfer needs of a connection. Tests have one that loses messages.
type link interface {
	// Listen has each message for a subject taken by one goroutine. Its data are not used again.
	Listen(subject string, take func(reply string, data []byte)) (stop func(), err error)
	// Send sends a message, of which it keeps nothing. A nil error does not say that it arrives.
	Send(subject, reply string, data []byte) error
	Inbox() string
}

// lasting tells whether an error of Send will be there next time, too. After others, the message is
// lost like one that was sent.
func lasting(err error) bool {
	return err == nats.ErrConnectionClosed || err == nats.ErrMaxPayload || err == nats.ErrBadSubject
}

// wire is a link over the engine's connection.
type wire struct{ *nats.Conn }

func (w wire) Listen(subject string, take func(reply string, data []byte)) (func(), error) {
	sub, err := w.Subscribe(subject, func(m *nats.Msg) { take(m.Reply, m.Data) })
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

func (w wire) Send(subject, reply string, data []byte) error {
	return w.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: data})
}

func (w wire) Inbox() string { return w.NewInbox() }
