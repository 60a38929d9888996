package push

import (
	"fmt"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
)

// OpenConsumers opens consumers of one queue that are pushed nothing.
func OpenConsumers(t generator.Target, n int) ([]int, error) {
	var fds []int
	for i := range n {
		fd, err := watch(t.Queue, tube, i, 100)
		if err != nil {
			return fds, fmt.Errorf("consumer %d: %w", i, err)
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

// OpenGets opens gets that each wait for a request id of their own on one queue. The last
// one gets its item, which shows that the server has come to all of them.
func OpenGets(t generator.Target, n int) ([]int, error) {
	var fds []int
	for i := range n + 1 {
		fd, err := socket.Dial(t.Queue)
		if err != nil {
			return fds, fmt.Errorf("get %d: %w", i, err)
		}
		fds = append(fds, fd)
		err = write(fd, fmt.Sprintf("GET /api/predict/%s/sink?requestId=r%d&_timeout_=300s HTTP/1.1\r\n%sContent-Length: 0\r\n\r\n",
			tube, i, identity(i)))
		if err != nil {
			return fds, fmt.Errorf("get %d: %w", i, err)
		}
	}
	fd, err := socket.Dial(t.Queue)
	if err != nil {
		return fds, err
	}
	defer socket.CloseAll([]int{fd})
	err = write(fd, fmt.Sprintf("POST /api/predict/%s/sink?requestId=r%d HTTP/1.1\r\n%sContent-Length: 4\r\n\r\nitem", tube, n, identity(n)))
	if err == nil {
		err = answered(fd, "HTTP/1.1 200 ")
	}
	if err == nil {
		err = answered(fds[n], "HTTP/1.1 200 ")
	}
	return fds, err
}
