package storage

// Memory is the store that keeps nothing: jobs are lost when the process ends.
func Memory() Store { return memoryStore{} }

type memoryStore struct{}

func (memoryStore) Open(n int, _ func(string) int) ([]Log, error) {
	logs := make([]Log, n)
	for i := range logs {
		logs[i] = memoryLog{}
	}
	return logs, nil
}

func (memoryStore) Durable() bool { return false }
func (memoryStore) Close() error  { return nil }

// memoryLog accepts everything and writes nothing.
type memoryLog struct{}

func (memoryLog) Room(int) bool                         { return true }
func (memoryLog) RoomToUpdate() bool                    { return true }
func (memoryLog) Stage(_ uint64, _ [][]byte, ack Ack)   { ack.Committed(nil) }
func (memoryLog) Put(*Job, ...[]byte)                   {}
func (memoryLog) Update(*Job)                           {}
func (memoryLog) Delete(*Job)                           {}
func (memoryLog) Quarantine(*Job)                       {}
func (memoryLog) PutQueue(*Queue)                       {}
func (memoryLog) DeleteQueue(string)                    {}
func (memoryLog) Commit(Ack) bool                       { return true }
func (memoryLog) Body(uint64, []byte) ([]byte, error)   { return nil, ErrNoBody }
func (memoryLog) Replay(func(*Job, []byte) error) error { return nil }
func (memoryLog) ReplayQueues(func(*Queue) error) error { return nil }
func (memoryLog) MaxID() uint64                         { return 0 }
func (memoryLog) Stats() LogStats                       { return LogStats{} }
