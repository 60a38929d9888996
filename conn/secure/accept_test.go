package secure

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// forAnyClient are certificates of a server whose clients need none.
func forAnyClient(t *testing.T) *Certificates {
	t.Helper()
	a := securetest.NewAuthority(t, "authority")
	o := files(t, a, a.Usual("server"))
	o.ClientCA = ""
	return must.Get(Read(o))
}

// A connection that is closed just when its handshake has been made, and before Accept has
// noted that, takes no slot from another handshake, and Close does not wait (T2).
func TestCloseWhileAccepting(t *testing.T) {
	certs := forAnyClient(t)
	synctest.Test(t, func(t *testing.T) {
		k := NewKeeper(nil, certs)
		near, far := net.Pipe()
		defer far.Close()
		c := certs.Over(near)
		// the bubble's clock is before the certificate
		go io.Copy(io.Discard, tls.Client(far, &tls.Config{InsecureSkipVerify: true}))
		if err := c.below.half.Make(c.Conn); err != nil { // this is how far Accept is
			t.Fatal(err)
		}
		closed := make(chan struct{})
		go func() { c.Close(); close(closed) }()
		synctest.Wait()
		select {
		case <-closed:
		default:
			t.Error("Close waits for a slot")
			k.slots <- struct{}{}
		}
		time.Sleep(time.Second)
		if len(k.slots) != 0 {
			t.Errorf("%d slots are taken", len(k.slots))
		}
	})
}

// After its handshake a connection lasts longer than that may take, and what it reads and
// writes concerns no slot.
func TestAfterAccept(t *testing.T) {
	certs := forAnyClient(t)
	synctest.Test(t, func(t *testing.T) {
		k := NewKeeper(nil, certs)
		near, far := net.Pipe()
		c := certs.Over(near)
		client := tls.Client(far, &tls.Config{InsecureSkipVerify: true})
		var talk sync.WaitGroup
		talk.Go(func() { // an echo
			io.Copy(client, client)
			client.Close()
		})
		must.Do(t, c.Accept(time.Second, NotHTTPS))
		time.Sleep(time.Minute)
		got := make(chan string)
		go func() {
			b := make([]byte, 2)
			c.Write([]byte("hi"))
			n, err := io.ReadFull(c, b)
			got <- fmt.Sprint(string(b[:n]), err)
		}()
		synctest.Wait()
		select {
		case text := <-got:
			if text != "hi<nil>" {
				t.Errorf("the echo is %s", text)
			}
		default:
			t.Error("the connection waits for a slot")
			k.slots <- struct{}{}
		}
		near.Close()
		talk.Wait()
	})
}
