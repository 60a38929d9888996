package transfer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pretend has somebody else answer in the sender's place.
func (s *scene) pretend(answer func(q message) []byte) {
	_, _ = s.Listen("P.desk", func(inbox string, question []byte) {
		q, _ := opened(question)
		_ = s.Send(inbox, "", answer(q))
	})
}

// SP1 and SP3: a sender says what none of ours does. SP5: one that is heard, and brings nothing, ends the fetch, too.
func TestHostileSender(t *testing.T) {
	const right = `{"chunk":100,"files":[{"name":"a","length":3}]}`
	said := func(kind byte, number uint64, text string) message { return message{kind, number, []byte(text)} }
	for what, c := range map[string]struct {
		order string
		chunk message
		wants error
	}{
		"what is right":  {right, said(kindChunk, 0, "abc"), nil},
		"a name outside": {`{"chunk":100,"files":[{"name":"../a","length":3}]}`, said(kindChunk, 0, "abc"), ErrList},
		"no list":        {"x", said(kindChunk, 0, "abc"), ErrList},
		"a short chunk":  {right, said(kindChunk, 0, "ab"), ErrSilent},
		"a long chunk":   {right, said(kindChunk, 0, "abcd"), ErrSilent},
		"another chunk":  {right, said(kindChunk, 1, "abc"), ErrSilent},
		"the list again": {right, said(kindReady, 0, right), ErrSilent},
		"still":          {right, said(kindStill, 0, ""), ErrSilent},
		"another kind":   {right, said(99, 0, "abc"), ErrSilent},
		// that is no reason to give up, but the context's end
		"always still": {"", message{}, context.DeadlineExceeded},
	} {
		play(t, 1, usual, func(s *scene) {
			ctx, cancel := context.WithTimeout(s.Context(), time.Hour)
			defer cancel()
			begun, files := time.Now(), map[string]string{"a": "abc"}
			s.files = files
			s.pretend(func(q message) []byte {
				switch {
				case q.kind == kindAsk:
					return c.chunk.bytes()
				case c.order == "":
					return said(kindStill, 0, "").bytes()
				}
				return said(kindReady, 0, c.order).bytes()
			})
			_, _, err := s.get(ctx)
			if took := time.Since(begun); !errors.Is(err, c.wants) || (took > 2*Silence) != (took >= time.Hour) {
				s.Errorf("%s: %v after %v", what, err, took)
			}
		})
	}
}

// SP9: who is of another version is told from who is silent, whichever of both is newer.
func TestVersions(t *testing.T) {
	newer := sealed([]byte{Version + 1, kindStill})
	for what, first := range map[string][]byte{"of an order": newer, "of a chunk": message{kind: kindReady,
		body: []byte(`{"chunk":10,"files":[{"name":"a","length":3}]}`)}.bytes()} {
		play(t, 1, usual, func(s *scene) {
			says := first
			s.pretend(func(message) []byte {
				defer func() { says = newer }()
				return says
			})
			if _, _, err := s.get(s.Context()); !errors.Is(err, ErrVersion) ||
				!strings.HasSuffix(err.Error(), ": 4; this program knows 3") {
				s.Errorf("%s: %v", what, err)
			}
		})
	}
	play(t, 1, usual, func(s *scene) {
		heard := []byte(nil)
		stop, _ := s.Listen("me", func(_ string, data []byte) { heard = data })
		defer stop()
		s.server.asked("me", sealed([]byte{Version - 1, kindOrder}))
		time.Sleep(time.Second)
		synctest.Wait()
		if m, _ := opened(heard); m.kind != kindFailed || s.made.Load() != 0 {
			s.Errorf("who orders in another version hears %q", heard)
		}
	})
}
