package ackpage

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"strings"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
)

//go:embed verify.html
var verifySource string

var verifyTemplate = parse(verifySource)

// Verifier knows the addresses that links are about; *verification.Verifier is one.
type Verifier interface {
	Look(ctx context.Context, claims notify.VerifyClaims) (address string, verified bool, err error)
	Verify(ctx context.Context, claims notify.VerifyClaims) error
}

// VerifyOptions are what the pages of verification links need.
type VerifyOptions struct {
	Logger   *slog.Logger
	Verifier Verifier
	// Key is the one that the links were minted with.
	Key []byte
	// PublicURL is that of Options.
	PublicURL string
}

// NewVerify makes the handler of GET and POST /verify/{token}. Like an acknowledge link, only
// the button's POST acts.
func NewVerify(options VerifyOptions) http.Handler {
	return verifyHandler{handler{Options{Logger: options.Logger, PublicURL: options.PublicURL}}, options}
}

type verifyHandler struct {
	handler

	options VerifyOptions
}

// verifyView is what verify.html shows.
type verifyView struct {
	Style, Title, Address string
	Verified              bool
}

func (h verifyHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	token := strings.TrimPrefix(r.URL.Path, "/verify/")
	claims, err := notify.OpenVerify(h.options.Key, token)
	if err != nil {
		h.refuse(w, r, http.StatusNotFound, "This link does not work.", "Check that it was copied whole, or have a new one sent under On-call, My contact methods.")
		return
	}
	if r.Method == http.MethodPost {
		h.verify(w, r, token, claims)
		return
	}
	address, verified, err := h.options.Verifier.Look(r.Context(), claims)
	if err != nil {
		h.failVerify(w, r, err)
		return
	}
	view := verifyView{Style: styleURL, Title: "Is this your e-mail address?", Address: notify.Line(address, 254), Verified: verified}
	if verified {
		view.Title = "This e-mail address is confirmed"
	}
	h.render(w, r, http.StatusOK, verifyTemplate, view)
}

func (h verifyHandler) verify(w http.ResponseWriter, r *http.Request, token string, claims notify.VerifyClaims) {
	if !h.fromThisPage(r) {
		h.refuse(w, r, http.StatusForbidden, "This did not come from the page itself.", "Open the link of the mail and press the button there.")
		return
	}
	if err := h.options.Verifier.Verify(r.Context(), claims); err != nil {
		h.failVerify(w, r, err)
		return
	}
	http.Redirect(w, r, "/verify/"+token, http.StatusSeeOther) //nolint:gosec // OpenVerify has checked that it is our token
}

func (h verifyHandler) failVerify(w http.ResponseWriter, r *http.Request, err error) {
	if refusal, known := fault.Of(err); known && refusal.Kind == fault.NotFound {
		h.refuse(w, r, http.StatusNotFound, refusal.Message, "A link works for seven days. Have a new one sent under On-call, My contact methods.")
		return
	}
	h.fail(w, r, err)
}
