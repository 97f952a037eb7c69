package paging_test

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

type workspace struct{ *pagingtest.Workspace }

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	return &workspace{pagingtest.New(t)}
}

// The targets of a step, as short as its tests want them.
var (
	user, schedule, team, channel = pagingtest.User, pagingtest.Schedule, pagingtest.Team, pagingtest.Channel

	page = pagingtest.Page
)
