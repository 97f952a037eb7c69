//go:build rlsonly

package postgres

import (
	"context"

	"github.com/google/uuid"
)

type orgSettingKey struct{}

// WithOrgSetting makes every tenant transaction of the context run under this
// organization's setting, whichever is asked for, so that a test can see row-level
// security hold without the queries' own conditions. It exists with the build tag
// rlsonly alone, which no release is built with.
func WithOrgSetting(ctx context.Context, orgID uuid.UUID) context.Context {
	return context.WithValue(ctx, orgSettingKey{}, orgID)
}

func orgSetting(ctx context.Context, asked uuid.UUID) uuid.UUID {
	if other, ok := ctx.Value(orgSettingKey{}).(uuid.UUID); ok {
		return other
	}
	return asked
}
