package app

import (
	"net/http"

	"github.com/nightbell/nightbell/api/internal/ackpage"
)

// acknowledgeLinks names the key that signs acknowledge links.
const acknowledgeLinks = "acknowledge links"

// acknowledgePages serves what the acknowledge link of a message leads to.
func (s *server) acknowledgePages() http.Handler {
	return ackpage.New(ackpage.Options{Logger: s.logger, Acknowledger: s.responder, Key: s.box.Derive(acknowledgeLinks), PublicURL: s.PublicURL})
}
