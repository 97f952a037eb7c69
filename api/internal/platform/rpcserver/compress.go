package rpcserver

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// worthIt is the size, in bytes, from which an answer is compressed. Below it, everything fits into
// the first packets anyway.
const worthIt = 2 << 10

var gzips = sync.Pool{New: func() any {
	writer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a valid level
	return writer
}}

// compress makes a large answer small for callers who take gzip: a list of incidents shrinks to a
// tenth, which is half a second to a phone at night. The size of an answer gives nothing away: there
// are no cookies, so no stranger's page can make a browser ask in somebody's name.
func compress(w http.ResponseWriter, r *http.Request, body []byte) []byte {
	if len(body) < worthIt {
		return body
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if !acceptsGzip(r.Header.Get("Accept-Encoding")) {
		return body
	}
	var small bytes.Buffer
	writer, _ := gzips.Get().(*gzip.Writer)
	defer gzips.Put(writer)
	writer.Reset(&small)
	if _, err := writer.Write(body); err != nil {
		return body
	}
	if err := writer.Close(); err != nil {
		return body
	}
	w.Header().Set("Content-Encoding", "gzip")
	return small.Bytes()
}

func acceptsGzip(accepted string) bool {
	for part := range strings.SplitSeq(accepted, ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return strings.Trim(weight, " q=0.") != "" || strings.TrimSpace(weight) == ""
		}
	}
	return false
}
