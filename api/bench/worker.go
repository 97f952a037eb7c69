package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// answerLimit is how long the driver waits for one answer.
const answerLimit = 15 * time.Second

// insertConns are the most connections of the plain inserts: the private PostgreSQL
// takes 60, of which the server has its own. More workers than that wait their turn.
const insertConns = 24

// workers makes as many workers as the job has concurrency, connected already. end is
// never nil.
func (j job) workers(ctx context.Context) (list []worker, end func(), err error) {
	if len(j.URLs) == 0 {
		return j.inserters(ctx)
	}
	var open []net.Conn
	end = func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
	for i := range j.Concurrency {
		w, err := j.httpWorker(ctx, j.URLs[i%len(j.URLs)])
		if err != nil {
			return nil, end, err
		}
		open = append(open, w.conn)
		list = append(list, w)
	}
	return list, end, nil
}

// httpWorker speaks just enough HTTP/1.1 to cost the server's processors little.
type httpWorker struct {
	conn     net.Conn
	reader   *bufio.Reader
	body     *body // nil for reads
	shape    string
	start    uint64
	request  []byte // the head and, for reads, all of it
	answered int64
}

func (j job) httpWorker(ctx context.Context, target string) (*httpWorker, error) {
	parsed, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", parsed.Host)
	if err != nil {
		return nil, err
	}
	w := &httpWorker{conn: conn, reader: bufio.NewReaderSize(conn, 16<<10), shape: j.Shape, start: j.Start}
	if j.Bearer != "" {
		w.request = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", parsed.RequestURI(), parsed.Host, j.Bearer)
		return w, nil
	}
	w.body = newBody(j.PerRequest)
	switch j.Shape {
	case distinctEvents:
		w.body = newEvent()
	case pings:
		w.body = &body{text: []byte(`{"status":"ok"}`)}
	}
	w.request = fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: Alertmanager/0.28.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n",
		parsed.RequestURI(), parsed.Host, len(w.body.text))
	if key := parsed.User.Username(); key != "" {
		w.request = fmt.Appendf(w.request, "Authorization: Bearer %s\r\n", key)
	}
	w.request = append(w.request, "\r\n"...)
	return w, nil
}

func (w *httpWorker) do(_ context.Context, number uint64) (bool, error) {
	payload := w.request
	if w.body != nil {
		w.number(number)
		payload = slices.Concat(w.request, w.body.text)
	}
	if err := w.conn.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return false, err
	}
	if _, err := w.conn.Write(payload); err != nil {
		return false, err
	}
	return w.answer()
}

func (w *httpWorker) number(number uint64) {
	switch w.shape {
	case sameAlert:
		w.body.number(w.start, w.start)
	case oneGroup:
		w.body.number(w.start, number)
	default:
		w.body.number(number, number)
	}
}

// answer reads one answer, whose body is thrown away.
func (w *httpWorker) answer() (accepted bool, err error) {
	status, err := w.reader.ReadSlice('\n')
	if err != nil {
		return false, err
	}
	if len(status) < len("HTTP/1.1 200") {
		return false, fmt.Errorf("not an answer: %q", status)
	}
	accepted = status[len("HTTP/1.1 ")] == '2'
	length, chunked := int64(0), false
	for {
		line, err := w.reader.ReadSlice('\n')
		if err != nil {
			return false, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			break
		}
		name, value, _ := strings.Cut(strings.ToLower(string(line)), ":")
		switch name {
		case "content-length":
			length, _ = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		case "transfer-encoding":
			chunked = true
		}
	}
	if w.answered, err = w.skip(length, chunked); err != nil {
		return false, err
	}
	return accepted, nil
}

func (w *httpWorker) skip(length int64, chunked bool) (int64, error) {
	if !chunked {
		return io.CopyN(io.Discard, w.reader, length)
	}
	// net/http knows how to read chunks, given a head that says so.
	head := strings.NewReader("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(io.MultiReader(head, w.reader)), nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	return io.Copy(io.Discard, response.Body)
}

// inserter writes rows in the shape of alerts and nothing else: what PostgreSQL can do
// here at most.
type inserter struct {
	pool *pgxpool.Pool
	rows int
}

// rawTable is where plain inserts go: ten columns, labels as JSON, one unique index.
const rawTable = `
CREATE SCHEMA IF NOT EXISTS bench;
CREATE TABLE IF NOT EXISTS bench.raw_alert (
    org_id uuid NOT NULL, alert_key text NOT NULL, status text NOT NULL, severity text NOT NULL, title text NOT NULL,
    description text NOT NULL, labels jsonb NOT NULL, starts_at timestamptz NOT NULL, seen_at timestamptz NOT NULL, occurrence_count integer NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS raw_alert_key ON bench.raw_alert (org_id, alert_key)`

const rawRow = `INSERT INTO bench.raw_alert VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

const rawRows = `INSERT INTO bench.raw_alert SELECT $1::uuid, unnest($2::text[]), $3, $4, unnest($5::text[]), unnest($6::text[]), unnest($7::jsonb[]), $8::timestamptz, $9::timestamptz, $10::integer`

const (
	rawOrg    = "6f1c2b34-0000-7000-8000-000000000001"
	rawLabels = `{"alertname":"HighErrorRate","cluster":"eu-west-1","env":"production","instance":"checkout-%016x:9090","job":"checkout","namespace":"shop","severity":"critical","team":"payments"}`
	rawTitle  = "Error rate of checkout-%016x is above 5%%"
	rawText   = "5%% of the requests to checkout-%016x have failed for 5 minutes. Look at the gateway first."
)

func (j job) inserters(ctx context.Context) (list []worker, end func(), err error) {
	config, err := pgxpool.ParseConfig(j.DSN)
	if err != nil {
		return nil, func() {}, err
	}
	config.MaxConns = int32(min(j.Concurrency, insertConns))
	config.MinConns = config.MaxConns
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, func() {}, err
	}
	for range j.Concurrency {
		list = append(list, &inserter{pool, j.PerRequest})
	}
	return list, pool.Close, pool.Ping(ctx)
}

func (w *inserter) do(ctx context.Context, number uint64) (bool, error) {
	now := time.Now()
	if w.rows == 1 {
		_, err := w.pool.Exec(ctx, rawRow, rawOrg, fmt.Sprintf("%016x", number), "firing", "critical", fmt.Sprintf(rawTitle, number),
			fmt.Sprintf(rawText, number), fmt.Appendf(nil, rawLabels, number), now, now, 1)
		return err == nil, err
	}
	keys, titles, texts, labels := make([]string, w.rows), make([]string, w.rows), make([]string, w.rows), make([]string, w.rows)
	for i := range w.rows {
		n := number + uint64(i)
		keys[i], titles[i], texts[i], labels[i] = fmt.Sprintf("%016x", n), fmt.Sprintf(rawTitle, n), fmt.Sprintf(rawText, n), fmt.Sprintf(rawLabels, n)
	}
	_, err := w.pool.Exec(ctx, rawRows, rawOrg, keys, "firing", "critical", titles, texts, labels, now, now, 1)
	return err == nil, err
}
