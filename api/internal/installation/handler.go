package installation

import (
	"context"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// copyNotice is what everybody reads on a restored copy.
const copyNotice = "This is a restored copy of another installation, and it pages nobody. " +
	"If it replaces the original, the owner has to confirm it, or, where it serves more than one organization, whoever runs it (nightbell restored confirm); " +
	"pages that were due more than an hour before it became a copy are then not made up for."

// Handler implements nightbellv1connect.InstallationServiceHandler.
type Handler struct {
	db *postgres.DB
	// copied reports whether this process has found the database to be a restored copy.
	copied func() bool
	// problems gives what the caller is told of, besides.
	problems func(context.Context) []*nightbellv1.Notice
	// mail is where mail goes: Server or Inbox.
	mail Mail
}

// Mail is where mail goes.
type Mail string

// With a mail server mail leaves this installation; without one the built-in inbox keeps it.
const (
	Server Mail = "server"
	Inbox  Mail = "inbox"
)

// NewHandler makes a handler.
func NewHandler(db *postgres.DB, copied func() bool, problems func(context.Context) []*nightbellv1.Notice, mail Mail) *Handler {
	return &Handler{db: db, copied: copied, problems: problems, mail: mail}
}

// GetInstallation says what keeps this installation from paging, and where mail goes.
func (h *Handler) GetInstallation(ctx context.Context, _ *nightbellv1.GetInstallationRequest) (*nightbellv1.GetInstallationResponse, error) {
	response := &nightbellv1.GetInstallationResponse{Mail: string(h.mail)}
	if h.copied() {
		response.Notices = append(response.Notices, &nightbellv1.Notice{Kind: "restored_copy", Message: copyNotice})
	}
	response.Notices = append(response.Notices, h.problems(ctx)...)
	return response, nil
}

// ConfirmInstallation lets a restored copy page. It fails with ErrNoCopy where this server
// works on an original, and with ErrManyOrganizations where others would be paged too.
func (h *Handler) ConfirmInstallation(ctx context.Context, _ *nightbellv1.ConfirmInstallationRequest) (*nightbellv1.ConfirmInstallationResponse, error) {
	// What another server once took for a copy, by a wrong setting, is not confirmed here: it
	// would end the paging of all organizations for what was due long before.
	if !h.copied() {
		return nil, ErrNoCopy
	}
	leftOut, err := ConfirmForOnly(ctx, h.db)
	if err != nil {
		return nil, err
	}
	return &nightbellv1.ConfirmInstallationResponse{Message: Confirmed(leftOut)}, nil
}
