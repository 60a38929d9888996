package admin

import (
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"time"
)

// A profile takes usualProfile unless the client asks for another time, up to longestProfile.
const (
	usualProfile   = 30 * time.Second
	longestProfile = 5 * time.Minute
)

// profile answers with one of Go's profiles. It may take as long as the client asks for,
// and then the client has the usual time to read it.
func (s *Server) profile(w http.ResponseWriter, r *http.Request) {
	if !s.now.Load().Profiles {
		http.NotFound(w, r)
		return
	}
	length := usualProfile
	if asked := r.URL.Query().Get("seconds"); asked != "" {
		n, err := strconv.ParseFloat(asked, 64)
		if err != nil || !(n >= 0 && n <= longestProfile.Seconds()) {
			text(w, http.StatusBadRequest, "seconds must be from 0 to "+strconv.Itoa(int(longestProfile.Seconds())))
			return
		}
		length = time.Duration(n * float64(time.Second))
	}
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(length + s.now.Load().WriteTimeout))
	show := pprof.Index
	switch strings.TrimPrefix(r.URL.Path, profiles) {
	case "cmdline":
		show = pprof.Cmdline
	case "profile":
		show = pprof.Profile
	case "symbol":
		show = pprof.Symbol
	case "trace":
		show = pprof.Trace
	}
	read(w, r, func() { show(w, r) })
}
