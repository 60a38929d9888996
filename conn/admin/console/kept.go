package console

import (
	"sync"
	"time"
)

// kept is an answer that all pages share. It is made only when somebody looks, so it costs nothing
// while nobody does, and it may be large, so it is let go of when nobody has looked for a while.
type kept[T any] struct {
	young time.Duration // an answer of this age is still given
	life  time.Duration // for which one is kept that nobody asks for

	turn   sync.Mutex // makes an answer
	mu     sync.Mutex
	now    *T // never changed after it has been made; nil before the first
	at     time.Time
	forget *time.Timer
}

// take returns an answer that is young. fresh makes one; it is told the last, if that is still there.
func (k *kept[T]) take(fresh func(was *T) (*T, error)) (*T, time.Time, error) {
	if now, at, young := k.last(); young {
		return now, at, nil
	}
	k.turn.Lock()
	defer k.turn.Unlock()
	was, at, young := k.last()
	if young {
		return was, at, nil
	}
	made, err := fresh(was)
	if err != nil {
		return nil, time.Time{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now, k.at = made, time.Now()
	if k.forget == nil {
		k.forget = time.AfterFunc(k.life, k.outdate)
	}
	k.forget.Reset(k.life)
	return k.now, k.at, nil
}

func (k *kept[T]) last() (now *T, at time.Time, young bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now, k.at, k.now != nil && time.Since(k.at) < k.young
}

// outdate lets go of the answer.
func (k *kept[T]) outdate() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = nil
}
