package nightbell

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// kind is what a request carries.
type kind int

const (
	kindEvent kind = iota
	kindBatch
	kindChange
	kindSample
	kindPing
)

// outcome is what becomes of what was sent.
type outcome int

const (
	delivered outcome = iota
	tryAgain
	rejected // dropped, counted, warned of
	split    // a batch that is sent again in halves
	disabled // this process sends nothing more
)

// answer is what came back: a status, or an error without one.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// verdict is the meaning of an answer.
type verdict struct {
	outcome outcome
	err     *APIError
	pause   bool          // the key was refused: rest before sending more
	wish    time.Duration // how long the server asks to wait
	result  *IncidentResult
	items   []verdict // of a batch, in the order sent
}

// judge reads an answer to events with these ids.
func judge(k kind, ids []string, a answer, now time.Time) verdict {
	if a.err != nil {
		return verdict{outcome: tryAgain, err: &APIError{Kind: connectionKind(a.err), cause: a.err}}
	}
	v := verdict{wish: wish(a.header, now)}
	if a.status >= 200 && a.status < 300 {
		return judgeSuccess(k, ids, a, v)
	}
	v.err = refusal(a)
	v.outcome = outcomeOf(a.status, v.err.Code)
	v.pause = errors.Is(v.err, ErrAuth)
	if a.status == http.StatusRequestEntityTooLarge && k == kindBatch && len(ids) > 1 {
		v.outcome = split
	}
	switch a.header.Get("X-Should-Retry") {
	case "true":
		v.outcome = tryAgain
	case "false":
		v.outcome = rejected
	}
	if a.status == http.StatusGone || a.header.Get("Nightbell-Disable") == "1" {
		v.outcome = disabled
	}
	return v
}

// judgeSuccess believes a 2xx only if Nightbell wrote it: the page of a proxy is no delivery.
func judgeSuccess(k kind, ids []string, a answer, v verdict) verdict {
	v.outcome = delivered
	foreign := verdict{outcome: tryAgain, err: &APIError{Kind: ErrServer, Status: a.status, Message: "the answer is not from Nightbell; is the base URL right?"}}
	switch k {
	case kindEvent:
		var result IncidentResult
		_ = json.Unmarshal(a.body, &result) // a field of a newer server is no reason to send again
		if result.Status == "" {
			return foreign
		}
		v.result = &result
	case kindBatch:
		var batch batchAnswer
		_ = json.Unmarshal(a.body, &batch)
		if batch.Results == nil {
			return foreign
		}
		v.items = batch.verdicts(ids)
	case kindChange, kindSample, kindPing:
	}
	return v
}

type batchAnswer struct {
	Results []struct {
		IncidentResult
		Error *struct {
			Code      string       `json:"code"`
			Message   string       `json:"message"`
			Details   []FieldError `json:"details"`
			Retryable bool         `json:"retryable"`
		} `json:"error"`
	} `json:"results"`
}

// verdicts finds the result of each event that was sent; without one it is sent again.
func (b batchAnswer) verdicts(ids []string) []verdict {
	verdicts := make([]verdict, len(ids))
	place := make(map[string]int, len(ids))
	for i, id := range ids {
		verdicts[i] = verdict{outcome: tryAgain, err: &APIError{Kind: ErrServer, EventID: id, Message: "the answer does not name this event"}}
		place[id] = i
	}
	for _, result := range b.Results {
		i, sent := place[result.EventID]
		switch {
		case !sent:
		case result.Error == nil:
			verdicts[i] = verdict{outcome: delivered, result: &result.IncidentResult}
		default:
			e := &APIError{Kind: ErrValidation, Code: result.Error.Code, Message: result.Error.Message, Details: result.Error.Details, EventID: ids[i]}
			verdicts[i] = verdict{outcome: rejected, err: e}
			if result.Error.Retryable {
				e.Kind, verdicts[i].outcome = ErrServer, tryAgain
			}
		}
	}
	return verdicts
}

func refusal(a answer) *APIError {
	e := &APIError{Status: a.status, Kind: kindOf(a.status)}
	var body struct {
		Code      string       `json:"code"`
		Message   string       `json:"message"`
		RequestID string       `json:"request_id"`
		Details   []FieldError `json:"details"`
	}
	if json.Unmarshal(a.body, &body) == nil {
		e.Code, e.Message, e.RequestID, e.Details = body.Code, body.Message, body.RequestID, body.Details
	}
	return e
}

func kindOf(status int) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ErrAuth
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnsupportedMediaType || status == http.StatusUnprocessableEntity:
		return ErrValidation
	case status == http.StatusTooManyRequests:
		return ErrRateLimited
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly:
		return ErrServer
	default:
		return ErrRefused
	}
}

func outcomeOf(status int, code string) outcome {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return tryAgain
	case http.StatusConflict:
		if code == "idempotency_in_progress" {
			return tryAgain
		}
	}
	return rejected
}

func connectionKind(err error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return ErrTimeout
	}
	return ErrConnection
}

// wish is how long the server asks to wait, 0 without a wish that can be read.
func wish(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseInt(header.Get("Retry-After-Ms"), 10, 64); err == nil {
		return time.Duration(min(max(ms, 0), 1<<40)) * time.Millisecond
	}
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
