package ackpage

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
)

type addressBook struct {
	verified int
	err      error
}

func (b *addressBook) Look(context.Context, notify.VerifyClaims) (address string, verified bool, err error) {
	return "ops@acme.example", b.verified > 0, b.err
}

func (b *addressBook) Verify(context.Context, notify.VerifyClaims) error {
	b.verified++
	return b.err
}

func openVerify(b *addressBook, method, token string, header http.Header) *httptest.ResponseRecorder {
	h := NewVerify(VerifyOptions{Logger: slog.New(slog.DiscardHandler), Verifier: b, Key: key, PublicURL: "https://public.example"})
	request := httptest.NewRequest(method, "https://nightbell.example/verify/"+token, nil)
	maps.Copy(request.Header, header)
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	return answer
}

// TestAScannerDoesNotVerify: only the button's POST does.
func TestAScannerDoesNotVerify(t *testing.T) {
	b := &addressBook{}
	token := notify.MintVerify(key, notify.VerifyClaims{OrgID: uuid.New(), ContactMethodID: uuid.New(), Expires: now})
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		answer := openVerify(b, method, token, nil)
		if answer.Code != http.StatusOK || answer.Header().Get("Referrer-Policy") != "same-origin" || answer.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", method, answer.Code, answer.Header())
		}
	}
	if body := openVerify(b, http.MethodGet, token, nil).Body.String(); b.verified != 0 || !strings.Contains(body, "ops@acme.example") || !strings.Contains(body, `<form method="post">`) {
		t.Errorf("verified %d times by looking; the page is\n%s", b.verified, body)
	}
	if answer := openVerify(b, http.MethodPost, token, http.Header{"Sec-Fetch-Site": {"cross-site"}}); answer.Code != http.StatusForbidden || b.verified != 0 {
		t.Errorf("another site's form: %d", answer.Code)
	}
	if answer := openVerify(b, http.MethodPost, token, nil); answer.Code != http.StatusForbidden || b.verified != 0 {
		t.Errorf("a scanner's POST: %d, verified %d times", answer.Code, b.verified)
	}
	if answer := openVerify(b, http.MethodPost, token, http.Header{"Origin": {"https://nightbell.example"}}); answer.Code != http.StatusSeeOther || b.verified != 1 {
		t.Errorf("the button: %d, verified %d times", answer.Code, b.verified)
	}
	if body := openVerify(b, http.MethodGet, token, nil).Body.String(); strings.Contains(body, "<form") || !strings.Contains(body, "is confirmed") {
		t.Errorf("the page afterwards is\n%s", body)
	}
	acknowledge := notify.MintAck(key, claims)
	if answer := openVerify(b, http.MethodPost, acknowledge, http.Header{"Sec-Fetch-Site": {"same-origin"}}); answer.Code != http.StatusNotFound {
		t.Errorf("an acknowledge token verifies: %d", answer.Code)
	}
	b.err = fault.New(fault.NotFound, "gone", "This link does not work any more.")
	if answer := openVerify(b, http.MethodGet, token, nil); answer.Code != http.StatusNotFound {
		t.Errorf("an expired link: %d", answer.Code)
	}
}
