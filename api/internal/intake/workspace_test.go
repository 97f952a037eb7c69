package intake_test

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

type workspace struct{ *pagingtest.Workspace }

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	return &workspace{pagingtest.New(t)}
}
