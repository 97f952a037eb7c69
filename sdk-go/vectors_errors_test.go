package nightbell

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestVectorsErrors(t *testing.T) {
	var file struct {
		About, Now string
		Cases      []struct {
			Description, Request, Failure string

			Answer *struct {
				Status  int
				Headers map[string]string
				Body    any
			}
			Sent   []string
			Expect tree
		}
	}
	readVectors(t, "errors", &file)
	kinds := map[string]kind{"event": kindEvent, "batch": kindBatch, "change": kindChange, "ping": kindPing}
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			a := answer{header: http.Header{}}
			switch c.Failure {
			case "network":
				a.err = io.ErrUnexpectedEOF
			case "timeout":
				a.err = context.DeadlineExceeded
			default:
				a.status = c.Answer.Status
				for name, value := range c.Answer.Headers {
					a.header.Set(name, value)
				}
				if s, ok := c.Answer.Body.(string); ok {
					a.body = []byte(s)
				} else if c.Answer.Body != nil {
					a.body, _ = encode(c.Answer.Body)
				}
			}
			k, known := kinds[c.Request]
			if !known {
				t.Fatal("unknown request " + c.Request)
			}
			v := judge(k, c.Sent, a, moment(t, file.Now))
			got := verdictTree(v)
			if items, ok := c.Expect["items"].([]any); ok {
				for n := range items {
					item := verdictTree(v.items[n])
					item["event_id"] = c.Sent[n]
					want, _ := items[n].(tree)
					named(t, item, want)
				}
				delete(c.Expect, "items")
			}
			if result, ok := c.Expect["result"].(tree); ok {
				own, _ := got["result"].(tree)
				named(t, own, result)
				delete(c.Expect, "result")
			}
			named(t, got, c.Expect)
		})
	}
}

func verdictTree(v verdict) tree {
	got := tree{"outcome": [...]string{"delivered", "retry", "rejected", "split", "disabled"}[v.outcome]}
	if v.wish > 0 {
		got["retry_after_ms"] = v.wish.Milliseconds()
	}
	if v.pause {
		got["pause"] = true
	}
	optional := func(key, s string) {
		if s != "" {
			got[key] = s
		}
	}
	if v.err != nil {
		classes := map[error]string{ErrAuth: "auth", ErrValidation: "validation", ErrRateLimited: "rate_limited", ErrServer: "server", ErrConnection: "connection", ErrTimeout: "timeout", ErrRefused: "api"}
		got["error"] = classes[v.err.Kind]
		optional("code", v.err.Code)
		optional("message", v.err.Message)
		optional("request_id", v.err.RequestID)
		got["details"] = v.err.Details
	}
	if v.result != nil {
		result := tree{"incident_number": v.result.Number, "status": v.result.Status, "event_id": v.result.EventID, "url": v.result.URL, "dedup_key": v.result.DedupKey}
		if v.result.ID != "" {
			result["id"] = v.result.ID
		}
		got["result"] = result
	}
	return got
}

func TestVectorsRetry(t *testing.T) {
	var file struct {
		About, Now string
		Cases      []struct {
			Description, Mode string

			TimeoutMS  int `json:"timeout_ms"`
			MaxRetries int `json:"max_retries"`
			Answers    []struct {
				Status  int
				Failure string
				TakesMS int `json:"takes_ms"`
				Headers map[string]string
			}
			Random []float64
			Expect struct {
				Outcome  string
				Attempts int
				DelaysMS []int64 `json:"delays_ms"`
			}
		}
	}
	readVectors(t, "retry", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			rule := foreground{maxRetries: c.MaxRetries, life: 3 * time.Duration(c.TimeoutMS) * time.Millisecond}
			delays, outcome, n := []int64{}, "", 0
			var elapsed time.Duration
			for ; outcome == ""; n++ {
				scriptedAnswer := c.Answers[n]
				a := answer{status: scriptedAnswer.Status, header: http.Header{}, body: []byte(`{"status":"created"}`)}
				for name, value := range scriptedAnswer.Headers {
					a.header.Set(name, value)
				}
				if scriptedAnswer.Failure != "" {
					a.err = io.ErrUnexpectedEOF
				}
				elapsed += time.Duration(scriptedAnswer.TakesMS) * time.Millisecond
				v := judge(kindEvent, nil, a, moment(t, file.Now))
				if v.outcome != tryAgain {
					outcome = text(verdictTree(v)["outcome"])
					continue
				}
				random := append(c.Random, 0)[min(n, len(c.Random))]
				var delay time.Duration
				var again bool
				over := "queued"
				if c.Mode == "foreground" {
					delay, again = rule.next(n, v, elapsed, random)
				} else {
					over = "gave_up"
					delay, again = background(n, v.wish, elapsed, random)
				}
				if !again {
					outcome = over
					continue
				}
				delays, elapsed = append(delays, delay.Milliseconds()), elapsed+delay
			}
			if outcome != c.Expect.Outcome || n != c.Expect.Attempts || fmt.Sprint(delays) != fmt.Sprint(c.Expect.DelaysMS) {
				t.Errorf("%s after %d tries, delays %v; want %+v", outcome, n, delays, c.Expect)
			}
		})
	}
}
